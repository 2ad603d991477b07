"""Transcription and evaluation: the local pass, the model server shared by xdist workers, Ray."""
