"""What the agent can see: terms that a recogniser can be biased towards, and the repair of a transcript by them."""
