"""What the user has configured, and which files and rules that leaves."""
