"""Harbor tasks, WildClawBench among them, run by Harbor with what was heard in the place of the instruction."""
