"""Attributes that a layer of another class has: `in_features` of an nn.Sequential, `kernel_size` of a Flatten."""

from __future__ import annotations

from typing import Any

from cudnnlint.facts.members import of_any_layer, own
from cudnnlint.facts.public_names import listed, slip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.values import Stack

BASES = {"torch.nn": "torch.nn.Module", "keras.layers": "keras.layers.Layer"}
SINCE = (2, 6)
"""The first Keras of whose layers it is told: in those of TensorFlow before, CategoryEncoding had adapt(), say."""
REPARAMETRIZED = ("weight_", "bias_", "parametrizations")
"""What weight_norm(), spectral_norm() and pruning set on a module (torch/nn/utils)."""
OF_WRAPPERS = frozenset({"module", "device", "dim", "process_group"})
"""What DataParallel, DistributedDataParallel and the like, which stand for what they wrap here, have themselves."""
SEQUENTIAL = "torch.nn.Sequential"


def of_another_layer(stack: Stack, value: Any, name: str) -> str | None:
    """What is meant by a name that a layer of the library lacks, "" where nothing does the same; None where it has it,
    or no layer of the library has."""
    path = getattr(value, "path", "")
    room, names = path.rpartition(".")[0], own(path)
    if names is None or room not in BASES or (room == "keras.layers" and stack.keras < SINCE):
        return None
    now, past = listed(BASES[room])
    if name in names or name in now or name in past or name in OF_WRAPPERS:
        return None
    if isinstance(value, ModelV):
        return _of_modules(value, name) if path == SEQUENTIAL and not hasattr(value, "lacks") else None
    if not isinstance(value, LayerV) or value.user is not None or name.startswith(REPARAMETRIZED):
        return None
    near = slip(name, names)
    return near or ("" if name in of_any_layer(room) else None)


def _of_modules(chain: ModelV, name: str) -> str | None:
    """An nn.Sequential has its modules under their names, and nothing of theirs."""
    if chain.layers.unknown or name not in of_any_layer("torch.nn"):
        return None
    having = [f"[{place}]" for place, module in enumerate(chain.layers.items)
              if name in (own(getattr(plain(module), "path", "")) or ())]
    return f"{name} of {' or '.join(having)}, which {'has' if len(having) == 1 else 'have'} one" if having else ""
