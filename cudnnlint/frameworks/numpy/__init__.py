"""NumPy, beside the functions of arrays that ops model."""
