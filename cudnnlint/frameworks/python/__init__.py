"""The standard library, and packages that stand in for parts of it."""
