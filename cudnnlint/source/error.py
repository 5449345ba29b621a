"""Why a file cannot be followed: unreadable, undecodable, or not Python."""

from __future__ import annotations


class SourceError(Exception):
    """`line` from 1 and `column` from 0 in code points, as spans count them; `message` is one lower-case line.

    `unread` says that not one byte was seen: the file is gone or locked, and may be good Python.
    """

    def __init__(self, path: str, line: int, column: int, message: str, unread: bool = False) -> None:
        super().__init__(path, line, column, message, unread)
        self.path = path
        self.line = line
        self.column = column
        self.message = message
        self.unread = unread

    def __str__(self) -> str:
        """
        >>> str(SourceError("train.py", 3, 4, "invalid syntax"))
        'train.py:3:5: invalid syntax'
        """
        return f"{self.path}:{self.line}:{self.column + 1}: {self.message}"
