"""tf.GradientTape: what is applied under it, and gradients that know whose variables they are for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.events.training import GRADIENT, VARIABLE
from cudnnlint.frameworks.gradients.added_alone import added_alone
from cudnnlint.frameworks.gradients.loops_taped import LoopRecorder
from cudnnlint.frameworks.keras.making import FRAMEWORK as KERAS
from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV, clock
from cudnnlint.interp.loops.kept import TAPES
from cudnnlint.interp.loops.turns import in_graph
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, BuiltinV, GeneratorV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown

READ = "variables read"
"""When the variables of a model were last asked for while a tape was open."""


class TapeV(LoopRecorder):
    """`with tf.GradientTape() as tape:`, which records from `since` until `until`."""

    path = "tensorflow.GradientTape"

    def __init__(self, span: Span | None = None, persistent: Any = False) -> None:
        super().__init__(span)
        self.until = 0
        self.persistent = persistent
        self.watches = False
        """It was told to watch something."""
        self.asked = ListV()
        """Where it gave its gradients, since it was entered."""

    def entered(self, m: Machine) -> Any:
        self.since = next(clock)
        m.heap.touch(self.asked)
        self.asked.items, self.asked.unknown = [], None
        m.state.setdefault(TAPES, []).append(self.since)
        return super().entered(m)

    def left(self, m: Machine) -> None:
        super().left(m)
        m.state[TAPES].pop()
        self.until = next(clock)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in ("reset", "stop_recording"):
            self.emptied = True
            self.persistent = Unknown("a tape that starts anew")
        self.watches |= name == "watch"
        return BuiltinV(name, lambda c: None) if name in ("watch", "reset", "__enter__", "__exit__") else MISSING


@record(eq=False, slots=True)
class Descent:
    """One call of `tape.gradient`: what the gradients are of, and whose variables they are for, if that is known.

    `stands_for` are those that a copy of them was made from, which are applied when it is.
    """

    tape: TapeV
    owners: tuple[Any, ...]
    span: Span
    loss: Any = None
    applied: bool = field(default=False)
    stands_for: tuple[Descent, ...] = ()

    def mark_applied(self) -> None:
        self.applied = True
        for one in self.stands_for:
            one.mark_applied()


class VariablesV:
    """The variables of layers and models; which ones is not followed."""

    always_true = True

    def __init__(self, owners: tuple[Any, ...], span: Span | None = None) -> None:
        self.owners, self.span = owners, span

    def iterated(self, m: Machine) -> Any:
        return Unknown("variables of a model")

    def length(self, m: Machine) -> Any:
        made = added_alone(self.owners)
        return Unknown("number of variables") if made is None else len(made)

    def sample(self, m: Machine) -> Any:
        return self._variable(m, Unknown("shape of a variable"))

    def _variable(self, m: Machine, shape: Any) -> Tensor:
        span = self.span or Span(m.linted, 1, 0, 1, 0)
        return Tensor(shape, Unknown("dtype of a variable"), "tf", None, Step(span, (), VARIABLE, ((self,), {})))

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        if isinstance(key, slice):
            return self
        made = added_alone(self.owners) if type(key) is int else None
        known = made is not None and -len(made) <= key < len(made)
        return self._variable(m, made[key].shape) if known else self.sample(m)  # type: ignore[index]

    def combined(self, m: Machine, symbol: str, other: Any) -> Any:
        if symbol == "+" and isinstance(other, VariablesV):
            return VariablesV((*self.owners, *(owner for owner in other.owners if owner not in self.owners)), self.span)
        return self if symbol == "+" and isinstance(other, ListV) else Unknown("variables")

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, VariablesV) and self.owners == other.owners
        return self if same else Unknown("differs between paths")


class GradientsV:
    """What `tape.gradient(loss, model.trainable_variables)` gives: a list as long as the variables."""

    always_true = True

    def __init__(self, descent: Descent) -> None:
        self.descent = descent

    def iterated(self, m: Machine) -> Any:
        return Unknown("gradients")

    def length(self, m: Machine) -> Any:
        return Unknown("number of variables")

    def sample(self, m: Machine) -> Any:
        return gradient_of(self.descent, Unknown("shape of a variable"))

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return self.sample(m)


def gradient_of(descent: Descent, shape: Any, dtype: Any = Unknown("dtype of a variable")) -> Tensor:
    return Tensor(shape, dtype, "tf", None, Step(descent.span, (), GRADIENT, ((descent,), {})))


@KERAS.attribute("keras.layers.Layer.trainable_variables", "keras.layers.Layer.trainable_weights",
                 "keras.layers.Layer.variables", "keras.layers.Layer.weights")
def variables(m: Machine, value: Any) -> Any:
    if m.state.get(TAPES):
        m.state[READ] = next(clock)
    return VariablesV((plain(value),))


@FRAMEWORK.on("tensorflow.GradientTape")
def tape(c: Call) -> Any:
    return TapeV(c.span, plain(c.get(0, "persistent", False)))


@FRAMEWORK.on("tensorflow.GradientTape.gradient")
def gradient(c: Call) -> Any:
    """Gradients have the shapes of their sources."""
    recorder, sources = plain(c.receiver), plain(c.get(1, "sources"))
    if not isinstance(recorder, TapeV):
        return Unknown("gradients")
    _spend(c, recorder)
    from cudnnlint.frameworks.gradients.left_tapes import check_left
    from cudnnlint.frameworks.gradients.tapes_turned import check_asked
    from cudnnlint.frameworks.gradients.unwatched import check_watched

    if check_asked(c) or check_left(c, recorder) or check_watched(c, recorder):
        return Unknown("no gradients")
    descent = Descent(recorder, owners_of(sources), c.span, strip(c.get(0, "target")))
    if isinstance(sources, Tensor) and not descent.owners:
        return _like(c.machine, descent, sources)
    c.machine.state.setdefault("descents", []).append(descent)
    return _like(c.machine, descent, sources)


def _spend(c: Call, tape: TapeV) -> None:
    """A tape that is not persistent gives gradients once (tensorflow/python/eager/backprop.py: GradientTape.gradient);
    in a graph a loop may stand for its turns."""
    m, asked = c.machine, tape.asked
    if tape.persistent is not False or asked.unknown:
        return
    if not asked.items:
        m.heap.touch(asked)
        asked.items.append(c.span)
    elif not m.trying and not (in_graph(m) and c.span in asked.items):
        refuse(m, c.span, Mismatch(
            Problem.TAPE_SPENT, "the tape is not persistent and has given its gradients",
            help="ask one gradient() for all sources, use a tape for each, or tf.GradientTape(persistent=True)",
            error='RuntimeError "A non-persistent GradientTape can only be used to compute one set of gradients (or '
                  'jacobians)"'), what="GradientTape.gradient", stage="call")


DIFFERENTIABLE = ("float", "bfloat", "complex")
"""Dtypes of what has a gradient; that of anything else is None (tensorflow/python/eager/backprop_util.py:
IsTrainable)."""


def _like(m: Machine, descent: Descent, sources: Any) -> Any:
    """A structure like `sources` of gradients."""
    sources = plain(sources)
    if isinstance(sources, Tensor) and isinstance(sources.dtype, str) and not sources.dtype.startswith(DIFFERENTIABLE):
        return Unknown("no gradient of whole numbers")
    if isinstance(sources, Tensor):
        made = gradient_of(descent, sources.shape, sources.dtype)
        behind = sources.step.maker if sources.step is not None else None
        parents = (*tensors(descent.loss), sources) if behind != VARIABLE else ()
        return made.with_(step=Step(descent.span, parents, GRADIENT, ((descent,), {})))
    if isinstance(sources, tuple):
        return tuple(_like(m, descent, item) for item in sources)
    if isinstance(sources, ListV) and not sources.unknown:
        return ListV([_like(m, descent, item) for item in sources.items])
    if isinstance(sources, DictV) and not sources.unknown:
        return DictV({key: _like(m, descent, item) for key, item in sources.items.items()})
    return GradientsV(descent)


def parts_of(value: Any) -> Iterator[Any]:
    """What a sequence holds, as far as it is known: of a long one a typical element."""
    value = plain(value)
    if isinstance(value, GeneratorV):
        value = value.elements
    if isinstance(value, ListV):
        value = tuple(value.items)
    if isinstance(value, tuple):
        for item in value:
            yield from parts_of(item)
    else:
        yield value


def owners_of(value: Any) -> tuple[Any, ...]:
    """The layers and models whose variables these are."""
    found: list[Any] = []
    for part in parts_of(value):
        held = [part] if isinstance(part, VariablesV) else _behind(part, VARIABLE)
        found += [owner for owner in getattr(held[0] if held else None, "owners", ())
                  if all(owner is not other for other in found)]
    return tuple(found)


def descents_of(value: Any, added: bool = False) -> list[Descent]:
    """The calls of tape.gradient that these gradients come from. With `added`, for gradients of several tapes that a
    graph adds up, one that stands for all of them: the graph holds each."""
    found: dict[tuple[int, ...], Descent] = {}
    for part in parts_of(value):
        held = [part.descent] if isinstance(part, GradientsV) else _behind(part, GRADIENT, added)
        descents = sorted((one for one in held if isinstance(one, Descent)), key=lambda one: one.tape.since)
        if descents:
            found.setdefault(tuple(map(id, descents)), _all_of(descents))
    return list(found.values())


def _all_of(descents: list[Descent]) -> Descent:
    """The last, of the losses of all."""
    if len(descents) == 1:
        return descents[0]
    loss = tuple(tensor for one in descents for tensor in tensors(one.loss))
    return replace(descents[-1], loss=loss, stands_for=tuple(descents))


def _behind(value: Any, maker: str, every: bool = False) -> list[Any]:
    """What a tensor's history says that it belongs to: the variables or the gradients it was computed from, the last
    ones or with `every` all."""
    todo, found, seen = list(tensors(strip(value))), list[Any](), set[int]()
    for _ in range(64):
        if not todo or (found and not every):
            break
        step = todo.pop().step
        if step is None or id(step) in seen:
            continue
        seen.add(id(step))
        if step.maker == maker:
            found += [one for one in step.arguments[0][:1] if all(one is not each for each in found)]
        else:
            todo += step.parents
    return found


__all__ = ["Descent", "GradientsV", "TapeV", "VariablesV", "descents_of", "owners_of"]
