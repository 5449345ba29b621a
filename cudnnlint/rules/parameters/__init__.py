"""Values of layers' arguments."""
