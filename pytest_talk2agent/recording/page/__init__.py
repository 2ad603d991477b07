"""The page for speakers: a local server, the checks of a take, and where takes are kept."""
