"""What Python itself refuses, and what a program certainly did not mean."""
