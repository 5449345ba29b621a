"""Runs the command line as `python -m cudnnlint`."""

from cudnnlint.cli.main import main

if __name__ == "__main__":
    main()
