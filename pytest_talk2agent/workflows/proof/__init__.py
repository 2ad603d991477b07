"""Whether a package may be trusted: what is odd in it, what nothing reveals, and what nothing can break."""
