"""Voice agents on the line: a cascade of our parts, and agents that somebody else runs behind a socket."""
