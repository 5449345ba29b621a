"""Versions that do not go together, and machines that lack what a program asks for."""
