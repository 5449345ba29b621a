"""What `cudnnlint doctor` does: an environment is described by a child process, and judged from the description."""
