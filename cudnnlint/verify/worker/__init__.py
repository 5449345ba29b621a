"""What runs with the interpreter that is asked: files started by path, of the standard library only."""
