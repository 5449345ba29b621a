"""Steps of the program's own: tapes, gradients and optimizers."""
