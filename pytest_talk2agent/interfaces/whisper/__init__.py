"""Whisper, by faster-whisper."""

from pytest_talk2agent.interfaces.whisper.whisper import WhisperInterface

__all__ = ["WhisperInterface"]
