"""What runs foreign code: real graders, and the sandbox that they run in."""
