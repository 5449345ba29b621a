"""A part of a notebook that is one part of its module."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """A code cell of a notebook, as part of the one module that all cells make.

    number  position among all cells of the notebook, from 1
    start   line of the module where it starts, from 1
    text    what the user wrote
    code    the same lines and columns with IPython's magics taken out; None for a cell that is not Python
    old     whether the notebook ran on Python 2
    """

    number: int
    start: int
    text: str
    code: str | None
    old: bool = False
