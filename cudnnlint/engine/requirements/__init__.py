"""What a project asks to have installed, and what of it does not go together."""
