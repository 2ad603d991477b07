"""What a task is: schema, loading, lint."""
