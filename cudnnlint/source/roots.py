"""Which files are worth parsing: a byte search that most of a repository fails."""

from __future__ import annotations

ROOTS = (b"keras", b"tensorflow", b"torch")
"""Any one of these in a file means that it may use a framework. "keras" covers tf.keras and tf_keras, "torch"
torchvision."""


def names_framework(data: bytes) -> bool:
    """Whether a file could use a framework we know, judged without parsing it.

    >>> names_framework(b"import tensorflow as tf")
    True
    >>> names_framework(b"import os")
    False
    """
    return any(root in data for root in ROOTS)
