"""Keras: how layers and models come to be, and what they tell of themselves."""
