"""PyTorch, under all its names."""
