"""The user of a session: a deterministic flow that reacts to what the agent was observed to do, and what it says."""
