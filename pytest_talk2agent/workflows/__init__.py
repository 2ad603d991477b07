"""Professional workflows by voice: packages, sessions on a media timeline, and what is left behind (APEX-Voice)."""
