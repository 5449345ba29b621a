"""What the turns of a loop do again."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.base import Event
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Tensor, Unknown


@record(frozen=True, slots=True, kw_only=True)
class LoopInfo:
    """A loop that Python runs.

    span   what it goes through, or the condition of a while loop
    turns  how many it takes, or Unknown
    over   "dataset", "range", "list", "rows" of a tensor, "items" or, for a while loop, ""
    """

    span: Span
    turns: Any = Unknown()
    over: str = "items"


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Repeated(Event):
    """What a loop does in each of its turns, or in several, and a program does once; `span` is where.

    loop   the innermost loop that does it
    turns  how many turns that makes in all, those of the loops around it included, or Unknown
    """

    loop: LoopInfo
    turns: Any = Unknown()


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelRebuilt(Repeated):
    """Each turn makes a model and trains or runs it: `used` is where, `method` how (see TrainingStarted)."""

    method: str
    used: Span


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FunctionTraced(Repeated):
    """Each turn calls a tf.function with what makes TensorFlow trace it again; for an argument, `turns` are the
    values that it takes.

    name      the function's
    cause     "number", "text" or "shape" for an argument that differs; "made" for a function that is made there
    argument  the parameter's name
    values    what it was in two turns, where that is known
    made      where the function is made
    """

    name: str
    cause: str
    argument: str = ""
    values: tuple[Any, ...] = ()
    made: Span | None = None


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GraphGrown(Repeated):
    """A loop in which a session runs (`ran`) adds operations to its graph: `what` first, and `more` besides."""

    what: str
    more: int
    ran: Span


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PredictedInLoop(Repeated):
    """Each turn calls predict() on `rows` rows, one batch; with `chance`, each turn that a random number picks."""

    rows: int
    chance: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LoopTaped(Repeated):
    """A loop under one tape, made at `span`: `used` is where it does what the tape keeps.

    does  "applies" a model to one batch of its data after the other, "trains" it in each turn, or "sums" terms that
          come from what a model gave; then `turns` are those of the loops under the tape alone
    """

    used: Span
    does: str = "applies"


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TensorsKept(Repeated):
    """Each turn adds a model's outputs, or what was computed from them, to a list that is older than the loop.

    loops  all loops that the list is older than, outermost first
    alone  what is added is this tensor itself
    form   "list"; "dict" where it is put under a key, "tensor" where all are joined into one
    """

    tensor: Tensor
    loops: tuple[LoopInfo, ...] = ()
    alone: bool = False
    form: str = "list"


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GraphKept(Repeated):
    """Each turn adds a PyTorch tensor, with the graph that it was computed by, to what is older than the loop.

    form     "list" or "sum"
    alone    it is all that is added, not part of a tuple or dict
    trained  backward() went through that graph in the loop; else the modules are in evaluation mode
    """

    tensor: Tensor
    form: str
    trained: bool = False
    alone: bool = False
