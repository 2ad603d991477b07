"""Importers: the tasks of other benchmarks, read as they are published."""
