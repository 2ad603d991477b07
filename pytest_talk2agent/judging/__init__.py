"""Transcript to labels with evidence."""
