"""torch.device: what names one, and what it is under `with`."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.functions import PLACED
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.named import tell_of_device
from cudnnlint.interp.uncalled.left_open import is_left_open
from cudnnlint.values import Mismatch, Problem


class DeviceV(ObjectV):
    """torch.device(...): under `with`, tensors are made there."""

    def entered(self, m: Machine) -> Any:
        m.state[PLACED] = False
        return self

    def left(self, m: Machine) -> None:
        pass


@FRAMEWORK.on("torch.device")
def device(c: Call) -> Any:
    """torch/csrc/Device.cpp: THPDevice_pynew"""
    if c.args or "type" in c.kwargs:
        _tell_of_nothing(c, c.get(0, "type"))
    tell_of_device(c.machine, c.get(0, "type"), c.node)
    return DeviceV("torch.device", tuple(c.args), dict(c.kwargs), c.span)


def _tell_of_nothing(c: Call, given: Any) -> None:
    """None, but for that of an option of the command line, which whoever runs it may give."""
    if plain(given) is None and not is_left_open(given) and is_certain(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, "torch.device is given None", argument="type", help='"cpu" or "cuda"',
            error='TypeError "device() received an invalid combination of arguments"'), what="torch.device")
