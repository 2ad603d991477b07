"""Words that are known already, in place of a recogniser."""
