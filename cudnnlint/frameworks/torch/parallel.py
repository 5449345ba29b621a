"""What wraps a module of PyTorch: DataParallel, DistributedDataParallel, compiled and scripted modules."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.module_methods import within
from cudnnlint.interp.functions import PLACED
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.wrapped_modules import COMPILED, note_wrapped
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.places import CPU
from cudnnlint.values import Mismatch, Problem, Unknown
from cudnnlint.values.origins import PLACE

DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"


@FRAMEWORK.attribute("torch.nn.Module.module")
def module(m: Machine, value: Any) -> Any:
    """What DataParallel and DistributedDataParallel hold: to us what they are."""
    return value


@FRAMEWORK.on("torch.nn.DataParallel", DISTRIBUTED, "torch.compile", "torch.jit.script")
def wrapped(c: Call) -> Any:
    """The module itself, as far as shapes go; the parallel ones bring batches to the GPUs themselves."""
    held = c.get(0, "module", c.kwargs.get("model", Unknown("a module")))
    path = getattr(plain(c.callee), "path", "")
    if path == DISTRIBUTED:
        _tell_of_place(c, held)
    if path.endswith("Parallel"):
        c.machine.state[PLACED] = False
        note_wrapped(c.machine, plain(held), path.rpartition(".")[2], c.span)
    elif path == "torch.compile":
        note_wrapped(c.machine, plain(held), COMPILED, c.span)
    return held


def _tell_of_place(c: Call, held: Any) -> None:
    """torch/nn/parallel/distributed.py: DistributedDataParallel.__init__"""
    m, devices = c.machine, plain(c.get(1, "device_ids"))
    if not isinstance(devices, ListV) or devices.unknown or not devices.items or m.state.get(PLACED) is False \
            or not is_certain(m) or not _is_on_cpu(held):
        return
    refuse(m, c.span, Mismatch(
        Problem.DEVICES, "DistributedDataParallel is given device_ids and a module on the CPU",
        help="move it first: model.to(device)", error='ValueError "DistributedDataParallel device_ids and '
        'output_device arguments only work with single-device/multiple-device GPU modules or CPU modules"'),
        what="DistributedDataParallel", inputs=None)


def _is_on_cpu(held: Any) -> bool:
    """Whether all layers of it are known, and those with weights were never moved, or to the CPU."""
    parts = list(within(held))
    layers = [one for part in parts if isinstance(one := part.extra if isinstance(part, InstanceV) else part, LayerV)]
    weighted = [one for one in layers if isinstance(one.weights, tuple) and one.weights]
    return bool(weighted) and all(one.extra.get(PLACE, CPU) == CPU for one in weighted) \
        and not any("device" in one.arguments and one.arguments["device"] is not None for one in layers)


__all__ = ["module", "wrapped"]
