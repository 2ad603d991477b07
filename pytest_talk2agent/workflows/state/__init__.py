"""A real SQL database behind the tools of a workflow: one isolated, seeded database for each session."""
