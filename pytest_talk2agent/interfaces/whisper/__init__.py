"""Whisper, by faster-whisper."""
