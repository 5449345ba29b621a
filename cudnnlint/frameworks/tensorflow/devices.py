"""tf.config: which devices there are and how their memory is set up, before and after TensorFlow takes hold of them."""

from __future__ import annotations

import ast
from typing import Any, ClassVar

from cudnnlint.frameworks.python.variables import put
from cudnnlint.frameworks.tensorflow.gpu_memory import EACH, MACHINE, limits, setting, variable
from cudnnlint.frameworks.tensorflow.growth import chosen, grown, settled
from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.devices import EAGER, HIDDEN, WITHIN, runtime
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.mistakes.changes import DIMENSIONS
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.memory.device import GROWTH
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Assumption, Mismatch, Problem, Unknown


@record(frozen=True, slots=True)
class DeviceV:
    """One physical device: its kind ("GPU", "" for any) and its place, a number, EACH or Unknown."""

    kind: str
    place: Any
    always_true: ClassVar[bool] = True

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown(f"{name} of a device")


@record(frozen=True, slots=True)
class DevicesV:
    """What list_physical_devices() gives: nobody knows how many; of `[:1]` of it the first."""

    kind: str
    place: Any = EACH
    why: ClassVar[str] = MACHINE

    def sample(self, m: Machine) -> Any:
        return DeviceV(self.kind, self.place)

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        key = plain(key)
        if isinstance(key, slice):
            bounds = [plain(part) for part in (key.start, key.stop, key.step)]
            return DevicesV(self.kind, 0) if bounds in ([None, 1, None], [0, 1, None]) else self
        return DeviceV(self.kind, key if isinstance(key, int) else Unknown("which device"))

    def length(self, m: Machine) -> Any:
        return Unknown(MACHINE)


class NoDevicesV:
    """The TPUs that there are: what is said here is said of GPUs, and programs for both build other layers for TPUs."""

    def length(self, m: Machine) -> Any:
        return assume(0, frozenset({Assumption("there is no TPU")}))

    def iterated(self, m: Machine) -> Any:
        return []


@FRAMEWORK.on("tensorflow.config.list_physical_devices", "tensorflow.config.experimental.list_physical_devices",
              "tensorflow.config.get_visible_devices")
def physical(c: Call) -> Any:
    kind = plain(c.get(0, "device_type", ""))
    return NoDevicesV() if kind == "TPU" else DevicesV(kind if isinstance(kind, str) else "")


@FRAMEWORK.on("tensorflow.config.list_logical_devices", "tensorflow.config.experimental.list_logical_devices")
def logical(c: Call) -> Any:
    """TensorFlow takes hold of the devices to answer (tensorflow/python/eager/context.py: list_logical_devices)."""
    if EAGER not in runtime(c.machine).items:
        c.machine.set_item(runtime(c.machine), EAGER, c.span)
    return NoDevicesV() if plain(c.get(0, "device_type")) == "TPU" else Unknown(MACHINE)


@FRAMEWORK.on("tensorflow.config.experimental.set_memory_growth", "tensorflow.config.set_memory_growth")
def set_memory_growth(c: Call) -> None:
    """The same value once more changes nothing and is never refused (context.py: Context.set_memory_growth)."""
    device, enable = plain(c.get(0, "device")), plain(c.get(1, "enable"))
    if not isinstance(device, DeviceV) or isinstance(device.place, Unknown):
        _tell_of_list(c, device)
        settled(c.machine)
        return
    grown(c.machine, device.kind, EACH if device.place == 0 and _is_only_one(c) else device.place, enable, c.span)
    if device.kind == "GPU":
        setting(c.machine, GROWTH, enable, c.span, each=device.place == EACH)
    before = [value for place, value in _known(c.machine, "growth") if _meet(place, device.place)]
    if not any(value == enable or isinstance(value, Unknown) for value in before):
        _tell(c, "memory_growth", enable)
    c.machine.set_item(runtime(c.machine), ("growth", device.place), enable)


def _is_only_one(c: Call) -> bool:
    """`if len(gpus) == 1: set_memory_growth(gpus[0], True)`: the first one is all of them."""
    given = c.node.args[0] if isinstance(c.node, ast.Call) and c.node.args else None
    source = c.machine.frame.module.source
    if not isinstance(given, ast.Subscript) or source is None:
        return False
    counted, line = f"len({ast.unparse(given.value)})", c.span.line
    return any(ast.unparse(node.test) in (f"{counted} == 1", f"1 == {counted}", f"{counted} < 2", f"{counted} <= 1")
               for node in walk(source.tree()) if isinstance(node, ast.If)
               and node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0))


def _tell_of_list(c: Call, device: Any) -> None:
    """tensorflow/python/eager/context.py: Context.set_memory_growth, which looks for it among the devices."""
    if isinstance(device, DevicesV | ListV) and not (c.machine.handlers or c.machine.trying):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, "set_memory_growth() is given a list of devices, and takes one of them",
            help="for gpu in gpus: tf.config.experimental.set_memory_growth(gpu, True)",
            error='ValueError "Unrecognized device: []"'), what="set_memory_growth")


@FRAMEWORK.on("tensorflow.config.set_logical_device_configuration",
              "tensorflow.config.experimental.set_virtual_device_configuration")
def set_logical(c: Call) -> None:
    device = plain(c.get(0, "device"))
    settled(c.machine)
    _tell(c, "logical_devices", None)
    if isinstance(device, DeviceV) and device.kind == "GPU":
        limits(c.machine, device.place,
               c.get(1, "logical_devices" if "logical" in plain(c.callee).path else "virtual_devices"), c.span)
    if isinstance(device, DeviceV) and isinstance(device.place, int | str):
        c.machine.set_item(runtime(c.machine), ("limited", device.place), c.span)


@FRAMEWORK.on("tensorflow.compat.v1.disable_eager_execution", "tensorflow.compat.v1.disable_v2_behavior",
              "tensorflow.disable_eager_execution", "tensorflow.disable_v2_behavior")
def graphs(c: Call) -> None:
    """From here on tensors are nodes of a graph, until a session runs."""
    c.machine.set_item(runtime(c.machine), EAGER, Unknown("a graph"))
    if plain(c.callee).path.endswith("v2_behavior"):
        with_dimensions(c)


@FRAMEWORK.on("tensorflow.compat.v1.disable_v2_tensorshape", "tensorflow.disable_v2_tensorshape")
def with_dimensions(c: Call) -> None:
    """Shapes hold Dimensions again (tensorflow/python/framework/tensor_shape.py: disable_v2_tensorshape)."""
    c.machine.state[DIMENSIONS] = True


@FRAMEWORK.on("os.environ.__setitem__", "os.environ.setdefault", "os.putenv")
def set_variable(c: Call) -> Any:
    """CUDA_VISIBLE_DEVICES counts until TensorFlow takes hold of the GPUs; "" and "-1" leave none of them."""
    _set_variable(c, plain(c.get(0, "key")), c.get(1, "default"))
    return c.get(1, "default")


@FRAMEWORK.on("os.environ.update")
def set_variables(c: Call) -> None:
    given = plain(c.args[0]) if c.args else None
    for name, value in (*(given.items.items() if isinstance(given, DictV) else ()), *c.kwargs.items()):
        _set_variable(c, name, value)


def _set_variable(c: Call, name: Any, given: Any) -> None:
    value = plain(given)
    put(c, name, given)
    variable(c.machine, name, value, c.span)
    if name == "CUDA_VISIBLE_DEVICES":
        settled(c.machine)
    if name == "CUDA_VISIBLE_DEVICES" and EAGER not in runtime(c.machine).items:
        surely = (value in ("-1", "") and not assumptions_of(given)
                  and not plain(c.callee).path.endswith("setdefault"))
        c.machine.set_item(runtime(c.machine), HIDDEN, c.span if surely else None)


@FRAMEWORK.on("tensorflow.config.set_visible_devices", "tensorflow.config.experimental.set_visible_devices")
def set_visible(c: Call) -> None:
    """`set_visible_devices([], "GPU")` hides them all."""
    devices, kind = plain(c.get(0, "devices")), plain(c.get(1, "device_type"))
    if kind in ("GPU", None):
        known = isinstance(devices, DeviceV) or (isinstance(devices, ListV) and not devices.unknown)
        listed = (devices,) if isinstance(devices, DeviceV) else tuple(map(plain, devices.items)) if known else ()
        chosen(c.machine, [one.place if isinstance(one, DeviceV) and one.kind == "GPU" else None for one in listed])
        if kind == "GPU" and known and listed != runtime(c.machine).items.get(VISIBLE):
            _say(c, "visible_devices", None, started=_started(c.machine))  # the same once more is not refused
        c.machine.set_item(runtime(c.machine), VISIBLE, listed)
        none = kind == "GPU" and isinstance(devices, ListV) and not devices.items and not devices.unknown
        c.machine.set_item(runtime(c.machine), HIDDEN, c.span if none else None)


def _tell(c: Call, what: str, value: Any) -> None:
    m, device = c.machine, plain(c.get(0, "device"))
    if not isinstance(device, DeviceV) or device.kind != "GPU":
        return
    limited = [span for place, span in _known(m, "limited") if isinstance(span, Span) and _meet(place, device.place)]
    _say(c, what, value, started=_started(m), limited=limited[0] if limited else None)


VISIBLE = "visible"
"""Key of the GPUs that the program chose last."""


def _say(c: Call, what: str, value: Any, **fields: Any) -> None:
    from cudnnlint.events.devices import DeviceConfigured

    c.machine.say(DeviceConfigured, c.span, what=what, value=value, **fields)


def _started(m: Machine) -> Span | None:
    """What certainly made TensorFlow take hold of the GPUs before."""
    started = runtime(m).items.get(EAGER)
    if m.uncalled and runtime(m).items.get(WITHIN) is True:
        return None  # nobody knows which of the two comes first
    return started if isinstance(started, Span) else None


def _known(m: Machine, what: str) -> list[tuple[Any, Any]]:
    """Place and value of what was set for devices so far."""
    return [(key[1], value) for key, value in runtime(m).items.items() if isinstance(key, tuple) and key[0] == what]


def _meet(a: Any, b: Any) -> bool:
    return a == b or EACH in (a, b)
