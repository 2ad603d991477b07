"""The run as one self-contained HTML file."""
