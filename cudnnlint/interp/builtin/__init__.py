"""Python's builtin functions and types over abstract values."""
