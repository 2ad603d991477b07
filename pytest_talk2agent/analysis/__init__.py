"""Comparison metrics."""
