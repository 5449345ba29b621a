"""What cudnnlint says of itself and of files that it cannot read."""
