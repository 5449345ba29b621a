"""What nothing calls, followed with what may be assumed of its parameters."""
