"""PyTorch's handlers."""
