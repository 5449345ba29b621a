"""Which libraries the program will run on, and conditions over their versions."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache

from cudnnlint.records import record

Version = tuple[int, ...]


def parse_version(text: str) -> Version:
    """The leading numeric parts.

    >>> parse_version("2.16.1rc0")
    (2, 16, 1)
    """
    parts: list[int] = []
    for piece in text.strip().lstrip("v").split("."):
        digits = ""
        for char in piece:
            if not char.isdigit():
                break
            digits += char
        if not digits:
            break
        parts.append(int(digits))
        if len(digits) != len(piece):
            break
    return tuple(parts)


@record(frozen=True, slots=True)
class Stack:
    """The versions a verdict is about. `source` says where they came from, for the user.

    without_gpu  the requirement that brings a TensorFlow built for CPUs only, "tensorflow-cpu==2.15.0"; or ""
    implied      what the code uses decided, since only old versions have it and nothing asks for a version
    before       older stacks that it may be as well, the newest first; none where something names a version
    elsewhere    the project asks for Keras and PyTorch, and for no TensorFlow that Keras could run on
    """

    keras: Version = (3, 15)
    tensorflow: Version = (2, 21)
    cudnn: Version = (9, 3)
    torch: Version = (2, 15)
    source: str = "assumed: no version found, the newest is taken"
    without_gpu: str = ""
    implied: bool = field(default=False, compare=False, repr=False)
    before: tuple[Stack, ...] = field(default=(), compare=False, repr=False)
    elsewhere: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return f"Keras {dotted(self.keras)}, TensorFlow {dotted(self.tensorflow)}"


def dotted(version: Version) -> str:
    return ".".join(map(str, version))


@record(frozen=True, slots=True)
class Where:
    """A set of stacks: every clause must hold. A clause is "<3", ">=3.14", ">=2.12,<3" or "<3|>=3.14".

    >>> Where(keras=">=3.14").holds(Stack(keras=(3, 15)))
    True
    >>> Where(keras="<3").holds(Stack(keras=(3, 15)))
    False
    >>> Where(keras="<3|>=3.14").holds(Stack(keras=(3, 13)))
    False
    """

    keras: str = ""
    tensorflow: str = ""
    cudnn: str = ""
    torch: str = ""

    def holds(self, stack: Stack) -> bool:
        return ((not self.keras or version_holds(self.keras, stack.keras))
                and (not self.tensorflow or version_holds(self.tensorflow, stack.tensorflow))
                and (not self.cudnn or version_holds(self.cudnn, stack.cudnn))
                and (not self.torch or version_holds(self.torch, stack.torch)))


EVERYWHERE = Where()


@lru_cache(maxsize=4096)
def version_holds(alternatives: str, version: Version) -> bool:
    """Whether `version` satisfies clauses such as ">=2.12,<3" or "<3|>=3.14"; the empty text always holds."""
    return any(_all_hold(clauses, version) for clauses in alternatives.split("|"))


def _all_hold(clauses: str, version: Version) -> bool:
    for clause in filter(None, (part.strip() for part in clauses.split(","))):
        operator = clause[:2] if clause[1] == "=" else clause[0]
        bound = parse_version(clause[len(operator):])
        ours = version[: len(bound)] + (0,) * (len(bound) - len(version))
        ok = {"<": ours < bound, "<=": ours <= bound, ">": ours > bound, ">=": ours >= bound, "==": ours == bound}
        if not ok[operator]:
            return False
    return True
