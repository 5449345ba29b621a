"""Configurations: files that programs read their numbers from, and the objects that hold them."""
