"""Functions over abstract tensors: what tf, keras.ops, keras.backend and numpy calls give, one family a file."""
