"""Tasks of other benchmarks, read as they are published and turned into ours."""
