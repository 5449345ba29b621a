"""Runs the command line as `python -m cudnnlint`."""

import os
import sys

if __name__ == "__main__":
    # Python puts the working directory first, where the modules of a project would stand for those that we import
    if sys.path and sys.path[0] in ("", os.getcwd()) and not os.path.isdir(os.path.join(os.getcwd(), "cudnnlint")):
        del sys.path[0]
    from cudnnlint.cli.main import main

    main()
