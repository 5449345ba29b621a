"""What PyTorch's modules and functions do to shapes and dtypes, and what they refuse; channels come second."""
