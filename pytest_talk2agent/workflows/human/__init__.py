"""A person plays the caller of a workflow in the browser: the card, the microphone, and the user's side of the call."""
