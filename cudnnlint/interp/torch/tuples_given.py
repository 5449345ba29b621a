"""Modules of PyTorch that are given the tuple which another one gives, an array of NumPy, or a module."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.heap import DictV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor
from cudnnlint.values.packed import Packed

TAKING = frozenset({"Identity", "LSTM", "GRU", "RNN", "MultiheadAttention", "Bilinear", "CosineSimilarity",
                    "PairwiseDistance", "Transformer"})
"""Modules that take more than one tensor, or do not care."""


def tell_of_tuple(m: Machine, layer: LayerV, given: Any, span: Span) -> bool:
    """`nn.Sequential(nn.LSTM(8, 16), nn.Linear(16, 2))`: what the LSTM gives is (output, (h, c)); of a packed sequence
    its output is one, too (torch/nn/modules/rnn.py: LSTM.forward)."""
    if m.trying or not layer.path.startswith("torch.nn.") or layer.path.count(".") != 2 or layer.user is not None \
            or layer.display in TAKING or layer.display.endswith(("MaxUnpool1d", "MaxUnpool2d")) \
            or (layer.display.endswith("Loss") and layer.display not in LOSSES):
        return False
    packed, recurrent, keyed = isinstance(given, Packed), _is_recurrent(given), isinstance(given, DictV)
    return refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{layer.display} is given a packed sequence" if packed else
        f"{layer.display} is given a dict" if keyed else
        f"{layer.display} is given a tuple{', what a recurrent module gives' * recurrent}",
        help="pad_packed_sequence() gives the output as a tensor, x.data all steps of it" if packed else
        "the first of it: output, state = self.lstm(x)" if recurrent else
        f"one of what it holds: x[{next(iter(given.items), '...')!r}]" if keyed else
        "take the tensor out of it, as in x, rest = module(x)",
        error=ERROR.replace("tuple", "PackedSequence" if packed else "dict" if keyed else "tuple"),
        facts=(("moment", "when the module is called"),)), what=layer.display, layer=layer.info())


LOSSES = frozenset({"CrossEntropyLoss", "NLLLoss", "MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCELoss",
                    "BCEWithLogitsLoss", "KLDivLoss"})
"""Those that take one tensor, and what it is compared with."""


def is_several(given: Any) -> bool:
    """Whether it is a tuple, or a dict whose keys are known."""
    return type(given) in (tuple, Packed) or (
        type(given) is DictV and not given.is_set and not given.open and bool(given.items))


def _is_recurrent(given: Any) -> bool:
    """Whether the first of a tuple is certainly the output of a recurrent module."""
    first = plain(given[0]) if isinstance(given, tuple) and given else None
    maker = first.step.maker if isinstance(first, Tensor) and first.step is not None else None
    return isinstance(maker, LayerV) and maker.display in RECURRENT


RECURRENT = frozenset({"LSTM", "GRU", "RNN"})


def tell_of_array(m: Machine, layer: LayerV, given: Tensor, span: Span) -> bool:
    """`net(images)` of an array, of which DataLoader or torch.from_numpy() makes a tensor."""
    if given.kind != "numpy" or not given.rank or not is_certain(m) or not layer.path.startswith("torch.nn.") \
            or layer.path.count(".") != 2 or layer.user is not None or layer.display == "Identity":
        return False
    return refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{layer.display} is given the array {given} of NumPy, not a tensor",
        help="torch.from_numpy(x) makes a tensor of it", error=ARRAY,
        facts=(("moment", "when the module is called"),)), what=layer.display, layer=layer.info())


def tell_of_module(m: Machine, layer: LayerV, given: Any, span: Span) -> bool:
    """`self.pool(self.conv)` for `self.pool(self.conv(x))`."""
    name = _module(given)
    if not name or not is_certain(m) or not layer.path.startswith("torch.nn.") or layer.path.count(".") != 2 \
            or layer.user is not None or layer.display == "Identity":
        return False
    return refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{layer.display} is given the module {name}, not a tensor",
        help="what the module gives, once it is called", error=ERROR.replace("tuple", name),
        facts=(("moment", "when the module is called"),)), what=layer.display, layer=layer.info())


def tell_of_given_in(m: Machine, path: str, given: Any, span: Span) -> None:
    """`F.relu(self.conv)` for `F.relu(self.conv(x))`, `F.relu(self.lstm(x))` of what an LSTM gives."""
    name, function = _module(given), path.rpartition(".")[2]
    held = given.values() if isinstance(given, dict) else given if isinstance(given, tuple) else ()
    several = type(given).__name__ if any(isinstance(one, Tensor) for one in held) else ""
    if not (name or several) or not is_meant(m) or m.handlers or (m.uncalled and not isinstance(given, LayerV)):
        return
    told = f"the module {name}" if name else f"a {'dict' if isinstance(given, dict) else several}"
    refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{function}() is given {told}, not a tensor", argument="input",
        help="what the module gives, once it is called" if name else "the tensor in it",
        error=f"TypeError \"argument 'input' (position 1) must be Tensor, not {name or several}\" or AttributeError "
              f"\"'{name or several}' object has no attribute\""), what=function)


def _module(given: Any) -> str:
    """The name of a module; "" of anything else."""
    if isinstance(given, InstanceV):
        return given.cls.name if given.cls.external_base() == "torch.nn.Module" else ""
    if isinstance(given, ModelV):
        return "Sequential" if given.path == "torch.nn.Sequential" else ""
    return given.display if isinstance(given, LayerV) and given.path.startswith("torch.nn.") else ""


ARRAY = ('TypeError "must be Tensor, not numpy.ndarray", "received an invalid combination of arguments" or "\'int\' '
         'object is not callable", or AttributeError "\'numpy.ndarray\' object has no attribute"')
ERROR = ('TypeError "must be Tensor, not tuple" or "received an invalid combination of arguments" or AttributeError '
         '"\'tuple\' object has no attribute"')
