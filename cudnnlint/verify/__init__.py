"""Hands findings to the real library: claims become jobs, a worker runs them, verdicts come of its answers."""
