"""Lines to agents that somebody else runs: sockets, their messages, and where tool calls come in."""
