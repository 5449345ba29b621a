"""Loops: turn by turn as long as that tells something, then to a fixed point."""
