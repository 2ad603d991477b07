"""Sound on the timeline of a session: the user's frozen speech, the channel, and what was played by whom."""
