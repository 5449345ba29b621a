"""What a program says of the GPU's memory and of how steps are run: limits, growth, switches; kept for estimates."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.convert import strip
from cudnnlint.interp.devices import EAGER, runtime
from cudnnlint.interp.graphs.placeholders import EAGERLY as TRACES_NOTHING
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.memory.device import (
    ALLOCATOR,
    BACKEND,
    CLUSTERING,
    DETERMINISM,
    EAGERLY,
    FLAGS,
    FORCED,
    FRACTION,
    GROWTH,
    LIMIT,
    RESERVED,
    SHARES,
    SWITCHES,
    DeviceMemory,
    Setting,
)
from cudnnlint.source import Span
from cudnnlint.values import Unknown

KEY = "gpu memory"
EACH = "each"
"""Place of a device that a loop goes through."""
MACHINE = "the machine it runs on"
"""Why it is not known whether a program takes a way that asks for GPUs: estimates are of where there are some."""
DETERMINISTIC = "TF_DETERMINISTIC_OPS"
"""The same as enable_op_determinism() (tensorflow/core/util/determinism.cc)."""
VARIABLES = (FORCED, ALLOCATOR, RESERVED, BACKEND, FLAGS, DETERMINISTIC, *SHARES)
CLUSTERED = "tf_xla_auto_jit"
MOST = 64


def device_memory(m: Machine) -> DeviceMemory:
    return DeviceMemory(tuple(m.state.get(KEY, ())))


def setting(m: Machine, kind: str, value: Any, span: Span, *, each: bool = False, sure: bool = True) -> None:
    """`each`: it stands in a loop over the devices."""
    if m.uncalled or (EAGER in runtime(m).items and kind not in SWITCHES):
        return
    unsure = sum(reason != MACHINE for reason in m.conditions) - each
    found: list[Setting] = m.state.setdefault(KEY, [])
    found[:] = [one for one in found if (one.kind, one.span) != (kind, span)][-MOST:]
    found.append(Setting(kind, value, span, sure and unsure <= 0))


def variable(m: Machine, name: Any, value: Any, span: Span) -> None:
    """os.environ, before TensorFlow or JAX takes hold of the GPUs."""
    if name not in VARIABLES or value is None:
        return
    if name == RESERVED:
        value = int(value) if isinstance(value, str) and value.isdecimal() else value
    elif name in SHARES and isinstance(value, str):
        value = float(value) if value.replace(".", "", 1).isdecimal() else Unknown("a share")
    elif isinstance(value, str):
        value = value.lower()
    if name == FLAGS and isinstance(value, str) and CLUSTERED not in value:
        return
    if name == DETERMINISTIC:
        name, value = DETERMINISM, value in ("1", "true")
    setting(m, name, value if isinstance(value, (str, int, float)) else Unknown(), span)


@FRAMEWORK.on("tensorflow.config.run_functions_eagerly", "tensorflow.config.experimental_run_functions_eagerly")
def run_eagerly(c: Call) -> None:
    """From here on tf.function traces nothing, unless it is turned off again."""
    told = plain(c.get(0, "run_eagerly", True))
    c.machine.state[TRACES_NOTHING] = told is not False
    setting(c.machine, EAGERLY, told, c.span)


@FRAMEWORK.on("tensorflow.config.experimental.enable_op_determinism")
def deterministic(c: Call) -> None:
    setting(c.machine, DETERMINISM, True, c.span)


@FRAMEWORK.on("tensorflow.config.optimizer.set_jit")
def clustered(c: Call) -> None:
    """True, or "autoclustering": XLA compiles what it can of each graph."""
    setting(c.machine, CLUSTERING, plain(c.get(0, "enabled")) not in (False, ""), c.span)


def limits(m: Machine, place: Any, devices: Any, span: Span) -> None:
    """set_logical_device_configuration: MiB of each logical device. Of a GPU that is not the first nothing is known
    of the one that is used."""
    if isinstance(place, int) and place != 0:
        return
    given = elements(m, devices)
    sizes = Unknown() if isinstance(given, Unknown) else tuple(_size(one) for one in given)
    setting(m, LIMIT, sizes, span, each=place == EACH, sure=place in (0, EACH))


def _size(configuration: Any) -> Any:
    held = plain(configuration)
    if not isinstance(held, ObjectV):
        return Unknown("a configuration")
    size = plain(held.args[0] if held.args else held.kwargs.get("memory_limit"))
    return int(size) if isinstance(size, float) and 0 < size < 2**40 else size


@FRAMEWORK.on("tensorflow.ConfigProto", "tensorflow.GPUOptions")
def options(c: Call) -> Any:
    """A protocol buffer: its fields are there when they are asked for."""
    return AttrDictV(dict(c.kwargs), grows=True)


@FRAMEWORK.on("tensorflow.Session", "tensorflow.InteractiveSession", "tensorflow.enable_eager_execution")
def session(c: Call) -> Any:
    """The first one takes hold of the GPUs, with its options."""
    path = plain(c.callee).path
    given = plain(c.get(0 if path.endswith("eager_execution") else 2, "config"))
    inner = plain(given.items.get("gpu_options")) if isinstance(given, DictV) else None
    if isinstance(inner, DictV) and not inner.unknown:
        for kind, name in ((FRACTION, FRACTION), (GROWTH, "allow_growth")):
            if (value := strip(inner.items.get(name))) not in (None, False):
                setting(c.machine, kind, value, c.span)
    return None if path.endswith("eager_execution") else ObjectV(path, tuple(c.args), dict(c.kwargs), c.span)
