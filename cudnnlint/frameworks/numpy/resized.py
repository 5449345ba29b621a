"""Functions of other libraries that make an array of NumPy as large as what they fill it with."""

from __future__ import annotations

from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.interp.changed_arrays import lose_shape
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import Call


@FRAMEWORK.on("rdkit.DataStructs.ConvertToNumpyArray", "rdkit.DataStructs.cDataStructs.ConvertToNumpyArray")
def fingerprint(c: Call) -> None:
    """Code/DataStructs/Wrap/DataStructs.cpp of RDKit: convertToNumpyArray calls PyArray_Resize."""
    lose_shape(c.machine, plain(c.get(1, "destArray")))
