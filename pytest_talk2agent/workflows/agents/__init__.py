"""Agents without sound: controls, scripts, adversaries, models over text, and anybody's own program."""
