"""The version that every record carries."""

from importlib.metadata import version

VERSION = version("pytest-talk2agent")
