"""tf.distribute: how many replicas a program runs on, and what one of them gets of a batch."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.devices import BatchNotSplit, ReplicaShare
from cudnnlint.frameworks.tensorflow.gpu_memory import device_memory
from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import DatasetV
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.convert import strip
from cudnnlint.interp.devices import start
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING, BuiltinV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import PARENTS, Call
from cudnnlint.values import BATCH, Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.assumption import Assumption
from cudnnlint.values.dim import Dim, is_known
from cudnnlint.values.tensor import tensors

BASE = "tensorflow.distribute.Strategy"
STRATEGIES = tuple(f"tensorflow.distribute.{name}" for name in (
    "Strategy", "MirroredStrategy", "OneDeviceStrategy", "TPUStrategy", "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy", "experimental.MultiWorkerMirroredStrategy", "experimental.TPUStrategy",
    "experimental.CentralStorageStrategy", "experimental.ParameterServerStrategy"))
OUTSIDE = frozenset({Assumption("tf.distribute.get_strategy() is called outside of every scope")})
PARENTS.update({path: BASE for path in STRATEGIES if path != BASE})
MIRRORED = frozenset(f"tensorflow.distribute.{name}" for name in (
    "MirroredStrategy", "MultiWorkerMirroredStrategy", "experimental.MultiWorkerMirroredStrategy"))
"""On one machine they take all of its GPUs."""


class StrategyV:
    """A tf.distribute strategy. `replicas` is their number or Unknown; `exactly`: of no class derived from `path`;
    `own`: one that the program made, not the default one."""

    always_true = True

    def __init__(self, path: str, replicas: Any, *, exactly: bool = False, own: bool = False) -> None:
        self.path, self.replicas, self.exactly = path, replicas, exactly
        self.own = own or path != BASE

    def attribute(self, m: Machine, name: str) -> Any:
        if name in ("num_replicas_in_sync", "num_replicas"):
            return self.count(m)
        if name == "scope":
            return BuiltinV("scope", lambda c: ScopeV(self))
        return Unknown("strategy.extended") if name == "extended" else MISSING

    def count(self, m: Machine) -> Any:
        """`replicas`, or as many as there are GPUs where it takes them all and the command line tells."""
        known = m.wanted.gpus if m.wanted is not None and self.path in MIRRORED else None
        return self.replicas if known is None or is_known(plain(self.replicas)) else known * device_memory(m).devices

    def join_with(self, other: Any) -> Any:
        """One strategy or another: how many replicas there are is known if both have as many."""
        if not isinstance(other, StrategyV):
            return Unknown("differs between paths")
        same = not isinstance(self.replicas, Unknown) and self.replicas == other.replicas
        return StrategyV(BASE, self.replicas if same else Unknown("number of replicas"), own=self.own and other.own)


class ScopeV:
    """`with strategy.scope():`"""

    always_true = True

    def __init__(self, strategy: StrategyV) -> None:
        self.strategy = strategy
        self.outer: Any = None

    def entered(self, m: Machine) -> Any:
        self.outer = m.state.get("strategy")
        m.state["strategy"] = self.strategy
        return self

    def left(self, m: Machine) -> None:
        m.state["strategy"] = self.outer


@FRAMEWORK.on(*STRATEGIES)
def strategy(c: Call) -> Any:
    path = plain(c.callee).path
    if path != BASE and not path.endswith("TPUStrategy"):
        start(c.machine, c.span)  # to see which devices there are
    if path.endswith("OneDeviceStrategy") or path == BASE:
        return StrategyV(path, 1)
    given = c.get(0, "devices")
    devices = elements(c.machine, given) if given is not None else Unknown("number of GPUs")
    if not path.endswith("distribute.MirroredStrategy") or isinstance(devices, Unknown):
        return StrategyV(path, Unknown("number of GPUs"))
    return StrategyV(path, assume(len(devices), assumptions_of(given)))


@FRAMEWORK.on("tensorflow.distribute.get_strategy")
def get_strategy(c: Call) -> Any:
    """The strategy in whose scope this is, else the default one, which has one replica; a function that nothing here
    calls may be called in another one (tensorflow/python/distribute/distribute_lib.py: _get_default_strategy)."""
    current = c.machine.state.get("strategy")
    if current is not None:
        return current
    return assume(StrategyV(BASE, Unknown("replicas") if c.machine.uncalled else 1, exactly=True), OUTSIDE)


def replicas(m: Machine) -> Any:
    """How many replicas what happens now runs on, with its assumptions."""
    current = m.state.get("strategy")
    return 1 if current is None else current.replicas


@FRAMEWORK.on(f"{BASE}.run", f"{BASE}.experimental_run_v2")
def run_replica(c: Call) -> Any:
    """The function, once, on what one replica gets."""
    m = c.machine
    given, named = elements(m, c.get(1, "args", ())), plain(c.get(2, "kwargs"))
    kwargs = dict(named.items) if getattr(named, "items", None) and not getattr(named, "unknown", None) else {}
    if isinstance(only := plain(c.get(1, "args", ())), Tensor | DictV) and is_certain(m):
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, "args of strategy.run() is one value, not a tuple", help="args=(value,), with a comma",
            error='ValueError "positional args must be a list or tuple"'), about=tensors(strip(only)),
            what="Strategy.run")
        return Unknown("run() fails")
    _tell_whole(c, [given, kwargs])
    outer, m.state["strategy"] = m.state.get("strategy"), plain(c.receiver)
    try:
        return m.call(c.get(0, "fn"), [] if isinstance(given, Unknown) else list(given), kwargs, c.node)
    finally:
        m.state["strategy"] = outer


DISTRIBUTED = "tensorflow.distribute.DistributedDataset"
"""Maker of what a replica gets of a batch that was made for it."""


def _tell_whole(c: Call, given: Any) -> None:
    """A batch of a dataset that the loop goes through is handed to every replica as it is: only values for each
    replica, such as those of a distributed dataset, are told apart (tensorflow/python/distribute/distribute_lib.py:
    StrategyBase.run)."""
    m, current = c.machine, plain(c.receiver)
    count = plain(current.count(m)) if isinstance(current, StrategyV) else 1
    if not isinstance(count, int) or count < 2 or not any(loop.over == "dataset" for loop in m.loops):
        return
    whole = next((tensor for tensor in tensors(strip(given)) if _is_batch(tensor)), None)
    if whole is not None:
        m.say(BatchNotSplit, c.span, about=[whole], assumptions=assumptions_of(current.replicas), batch=whole,
              replicas=count)


def _is_batch(tensor: Tensor) -> bool:
    """Whether it is as batch() gave it, and was not distributed since."""
    step = tensor.step
    batched = step is not None and step.maker is None and bool(step.parents) and tensor.kind == "tf"
    return batched and isinstance(tensor.shape, tuple) and len(tensor.shape) > 0 and isinstance(tensor.shape[0], int)


@FRAMEWORK.on(f"{BASE}.reduce")
def reduce(c: Call) -> Any:
    """Summed over the replicas: the shape of one replica's value, without its first axis where `axis` is 0."""
    value, axis = plain(c.get(1, "value")), plain(c.get(2, "axis"))
    if isinstance(value, Tensor) and axis is None:
        return value.with_(step=Step(c.span, (value,)))
    if isinstance(value, Tensor) and axis == 0 and isinstance(value.shape, tuple) and value.shape:
        return value.with_(shape=value.shape[1:], step=Step(c.span, (value,)))
    return Unknown("a reduced value")


@FRAMEWORK.on(f"{BASE}.experimental_distribute_dataset")
def distribute(c: Call) -> Any:
    """Each batch is divided among the replicas (tensorflow/python/data/experimental/ops/distribute.py)."""
    ds, current = plain(c.get(0, "dataset")), plain(c.receiver)
    if not isinstance(ds, DatasetV) or not isinstance(current, StrategyV):
        return Unknown("a distributed dataset")
    count = plain(current.count(c.machine))

    maker = ReplicaShare(ds.rest[2] if ds.rest is not None else ds.batch_size, count)

    def leaf(item: Any) -> Any:
        if not isinstance(item, Tensor) or not isinstance(item.shape, tuple) or not item.shape:
            return item
        return item.with_(shape=(share(item.shape[0], count), *item.shape[1:]), step=Step(c.span, (item,), maker))

    size = share(ds.batch_size, count) if ds.batch_size is not None else None
    return ds.with_(element=ds.element if count == 1 else over(ds.element, leaf), batch_size=size,
                    assumptions=ds.assumptions | assumptions_of(current.replicas))


def share(batch: Dim, count: Any) -> Dim:
    """The rows that each replica gets of a batch; BATCH where they do not all get as many.

    >>> share(64, 4), share(10, 4)
    (16, Symbol(name='B'))
    """
    if not is_known(batch):
        return batch
    if not is_known(count):
        return Unknown("batch of one of an unknown number of replicas")
    return batch // count if batch % count == 0 else BATCH


class InputContextV:
    """tf.distribute.InputContext of a program with one worker."""

    always_true = True

    def __init__(self, count: Any) -> None:
        self.count = count

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "num_replicas_in_sync":
            return self.count
        if name == "get_per_replica_batch_size":
            return BuiltinV(name, self._each)
        return Unknown(f"attribute {name} of an InputContext")

    def _each(self, c: Call) -> Any:
        size, count = plain(c.get(0, "global_batch_size")), plain(self.count)
        if not is_known(size) or not is_known(count) or size % count:
            return Unknown("batch size of a replica")
        return assume(size // count, assumptions_of(self.count) | assumptions_of(c.get(0, "global_batch_size")))


@FRAMEWORK.on(f"{BASE}.distribute_datasets_from_function", f"{BASE}.experimental_distribute_datasets_from_function")
def from_function(c: Call) -> Any:
    """The function makes the dataset of one replica."""
    current = plain(c.receiver)
    count = current.count(c.machine) if isinstance(current, StrategyV) else Unknown("replicas")
    ds = plain(c.machine.call(c.get(0, "dataset_fn"), [InputContextV(count)], {}, c.node))

    def leaf(item: Any) -> Any:
        return item.with_(step=Step(c.span, (item,), DISTRIBUTED)) if isinstance(item, Tensor) else item

    return ds.with_(element=over(ds.element, leaf)) if isinstance(ds, DatasetV) else ds


__all__ = ["StrategyV", "replicas", "share"]
