"""Audio files and spoken forms."""
