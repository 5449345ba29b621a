"""Batches, labels and data: what training is given."""
