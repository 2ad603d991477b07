"""Many sessions: how often an agent succeeds, how surely, on which kinds of work, and whether a build is worse."""
