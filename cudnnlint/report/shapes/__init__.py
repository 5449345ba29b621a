"""The inferred shapes for people: models as tables, and sources with shapes at the line ends."""
