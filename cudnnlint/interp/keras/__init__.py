"""Layers and models: made, built, called, called again, and what they hold."""
