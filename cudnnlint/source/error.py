"""Why a file cannot be followed: unreadable, undecodable, or not Python."""

from __future__ import annotations


class SourceError(Exception):
    """`line` from 1 and `column` from 0 in code points, as spans count them; `message` is one lower-case line."""

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        super().__init__(path, line, column, message)
        self.path = path
        self.line = line
        self.column = column
        self.message = message

    def __str__(self) -> str:
        """
        >>> str(SourceError("train.py", 3, 4, "invalid syntax"))
        'train.py:3:5: invalid syntax'
        """
        return f"{self.path}:{self.line}:{self.column + 1}: {self.message}"
