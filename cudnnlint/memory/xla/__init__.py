"""What is alive in a step that XLA compiles."""
