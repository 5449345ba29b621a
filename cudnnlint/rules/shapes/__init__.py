"""Shapes that do not fit."""
