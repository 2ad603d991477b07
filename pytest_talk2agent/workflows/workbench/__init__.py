"""What an agent works on: the world, artifacts, knowledge, tools, and the guard before commits."""
