"""Names of dtypes that an Input of Keras 3 does not take, though NumPy, PyTorch or Keras 2 do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.values import Mismatch, Problem, Where

MEANT = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "str": "string"}


def unknown_dtypes(dtype: Any) -> Iterator[Mismatch]:
    """keras/src/backend/common/variables.py: standardize_dtype, which knows "int" and the class float, not "float".

    >>> [found.message for found in unknown_dtypes("float")], list(unknown_dtypes("float32"))
    (["'float' is no dtype of Keras 3"], [])
    """
    if isinstance(dtype, str) and dtype in MEANT:
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{dtype!r} is no dtype of Keras 3", argument="dtype",
                       where=Where(keras=">=3"), help=f'dtype="{MEANT[dtype]}"',
                       error=f'ValueError "Invalid dtype: {dtype}"')
