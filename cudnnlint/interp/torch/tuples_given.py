"""Modules of PyTorch that are given the tuple which another one gives."""

from __future__ import annotations

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem

TAKING = frozenset({"Identity", "LSTM", "GRU", "RNN", "MultiheadAttention", "Bilinear", "CosineSimilarity",
                    "PairwiseDistance", "Transformer"})
"""Modules that take more than one tensor, or do not care."""


def tell_of_tuple(m: Machine, layer: LayerV, span: Span) -> bool:
    """`nn.Sequential(nn.LSTM(8, 16), nn.Linear(16, 2))`: what the LSTM gives is (output, (h, c))
    (torch/nn/modules/rnn.py: LSTM.forward)."""
    if m.trying or not layer.path.startswith("torch.nn.") or layer.path.count(".") != 2 or layer.user is not None \
            or layer.display in TAKING or layer.display.endswith(("Loss", "MaxUnpool1d", "MaxUnpool2d")):
        return False
    return refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{layer.display} is given a tuple, what a recurrent module gives, say",
        help="the first of it: output, state = self.lstm(x)", error=ERROR,
        facts=(("moment", "when the module is called"),)), what=layer.display, layer=layer.info())


ERROR = ('TypeError "must be Tensor, not tuple" or "received an invalid combination of arguments" or AttributeError '
         '"\'tuple\' object has no attribute"')
