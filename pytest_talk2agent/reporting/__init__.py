"""The same records as terminal text, JUnit properties, JSON and Markdown."""
