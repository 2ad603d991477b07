"""A session: two voices, tools and a world on one media timeline, and the log that it leaves."""
