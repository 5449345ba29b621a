"""dtypes and precision."""
