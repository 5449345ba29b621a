"""What goes wrong over steps: loops, graphs, gradients, weights."""
