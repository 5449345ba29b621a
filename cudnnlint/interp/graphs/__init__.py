"""Graphs: what is traced or built from symbolic tensors, and what stands in it for a value."""
