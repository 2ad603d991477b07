"""Models of NVIDIA NeMo: Canary, Parakeet, Canary-Qwen."""
