"""Memory: of the GPU, and of the machine that feeds it."""
