"""Names and arguments: what a library does not have, takes otherwise, or what the program does not have."""
