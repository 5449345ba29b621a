"""The graph of a recorded model for one input: each layer configured, its output and its variables inferred, once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from cudnnlint.facts.applications import Family, Row, family
from cudnnlint.frameworks.applications.widths import WIDTHS, scaled
from cudnnlint.interp.binding import bind_spelling
from cudnnlint.interp.keras.application import autocast
from cudnnlint.interp.keras.layers import count
from cudnnlint.ops.protocol import LAYERS, LayerCall, Policy, Weight
from cudnnlint.ops.zoo import Arithmetic, LayerScale, StochasticDepth
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Stack, Symbol, Tensor, Unknown
from cudnnlint.values.dim import Dim


@record(frozen=True, slots=True)
class Wanted:
    """Which graph: everything that it depends on, hashable.

    head   "top", "none", "avg" or "max"; stem  flags of what changes its first layers ("w", "r", "c"), in that order
    name   the model's name, which a few models put before those of their layers
    """

    module: str
    model: str
    stack: Stack
    head: str
    stem: str
    name: str
    classes: Any
    activation: Any
    dropout: Any
    alpha: Any
    depth_multiplier: Any
    minimalistic: bool
    policy: Policy


@record(frozen=True, slots=True)
class Planned:
    """One layer, configured and applied: `inputs` are positions in the plan, `parts` the layers of a Sequential."""

    row: Row
    inputs: tuple[int, ...]
    op: Any
    arguments: Mapping[str, Any]
    given: frozenset[str]
    output: Any
    weights: Any = ()
    parts: tuple[Planned, ...] = ()


def family_of(module: str, stack: Stack) -> Family | None:
    return family(module, 3 if stack.keras >= (3,) else 2)


def recorded(module: str, model: str, stack: Stack) -> Mapping[str, Any] | None:
    """What is on record of a model, for the generation of Keras at hand."""
    found = family_of(module, stack)
    if found is None or model not in found.models:
        return None
    return found.models[model]


@lru_cache(maxsize=64)
def layers_of(wanted: Wanted) -> tuple[Row, ...] | Unknown:
    """The rows of the model, placeholders filled in."""
    found = family_of(wanted.module, wanted.stack)
    assert found is not None
    record = found.models[wanted.model]

    def read(part: str, text: str) -> tuple[Row, ...]:
        return found.rows(wanted.model, "minimalistic" if wanted.minimalistic else part, text)

    if wanted.minimalistic:
        record = record["minimalistic"]
    body = list(read("body", record["body"]))
    if wanted.stem in record["stems"]:
        count, text = record["stems"][wanted.stem]
        body = [*read("stems", text), *body[count:]]
    body += read("heads", record["heads"].get(wanted.head, ""))
    if wanted.dropout == 0 and wanted.module == "mobilenet_v3":
        body = [row for row in body if row.arguments.get("rate") != "$dropout"]
    if wanted.module in WIDTHS:
        return scaled(wanted.module, _filled(body, wanted), wanted.alpha, wanted.depth_multiplier)
    return tuple(_filled(body, wanted))


def _filled(found: Iterable[Row], wanted: Wanted) -> list[Row]:
    values = {"$classes": wanted.classes, "$activation": wanted.activation, "$dropout": wanted.dropout}
    return [Row(row.kind, _named(row.name, wanted.name), row.number,
                {key: _fill(value, values) for key, value in row.arguments.items()}, row.inputs) for row in found]


def _fill(value: Any, values: Mapping[str, Any]) -> Any:
    """`value` with what stands for the names in it."""
    if isinstance(value, tuple):
        return tuple(_fill(item, values) for item in value)
    return values.get(value, value) if isinstance(value, str) else value


def _named(name: str, model: str) -> str:
    return model + name[1:] if name.startswith("$") else name


@record(frozen=True, slots=True)
class Plan:
    """All layers of a model, in Keras' order, and the number of their parameters."""

    layers: tuple[Planned, ...]
    params: Dim


@record(frozen=True, slots=True)
class Failure:
    """The layer inside a model that refuses its input, and why."""

    layer: str
    mismatch: Mismatch


@lru_cache(maxsize=32)
def plan(wanted: Wanted, given: Tensor) -> Plan | Unknown | Failure:
    """The model applied to an input of this shape and dtype."""
    found = layers_of(wanted)
    if isinstance(found, Unknown):
        return found
    done: list[Planned] = []
    for row in found:
        planned = _planned(row, tuple(len(done) - back for back in row.inputs), done, wanted, given)
        if isinstance(planned.output, Mismatch):
            return Failure(row.name, planned.output)
        if not isinstance(planned.output, Tensor):
            return planned.output if isinstance(planned.output, Unknown) else Unknown(f"output of {row.name}")
        done.append(planned)
    parts = [*done, *(part for each in done for part in each.parts)]
    return Plan(tuple(done), count(total(each.weights for each in parts)))


def _planned(row: Row, inputs: tuple[int, ...], done: Sequence[Planned], wanted: Wanted, given: Tensor) -> Planned:
    if row.kind == "InputLayer":
        return Planned(row, (), None, {}, frozenset(), given)
    sources = [done[place].output for place in inputs]
    x = sources[0] if len(sources) == 1 else sources
    if row.kind == "Sequential":
        parts = tuple(_chain(row.arguments["layers"], x, wanted))
        return Planned(row, inputs, None, {}, frozenset(), parts[-1].output, (), parts)
    op, arguments, taken = _configured(row.kind, _padded(row.arguments, x), wanted.stack)
    return _applied(row, inputs, op, arguments, taken, x, wanted)


def _applied(row: Row, inputs: tuple[int, ...], op: Any, arguments: Mapping[str, Any], taken: frozenset[str], x: Any,
             wanted: Wanted) -> Planned:
    call = LayerCall(autocast(x, wanted.policy), policy=wanted.policy, stack=wanted.stack)
    output = op.infer(call) if op is not None and not isinstance(op, Unknown | Mismatch) else op
    if isinstance(output, Mismatch) and not output.where.holds(wanted.stack):
        output = output.otherwise
    if not isinstance(output, Tensor):
        return Planned(row, inputs, op, arguments, taken, output)
    bare = Tensor(output.shape, output.dtype, "keras")
    return Planned(row, inputs, op, arguments, taken, bare, op.weights(call))


def _chain(listed: Sequence[Any], x: Any, wanted: Wanted) -> Iterator[Planned]:
    """The layers of a Sequential, one after the other."""
    for kind, name, more in listed:
        op, arguments, taken = _configured(kind, more, wanted.stack)
        row = Row(kind, _named(name, wanted.name), -1, more, ())
        done = _applied(row, (), op, arguments, taken, x, wanted)
        yield done
        x = done.output


def _configured(kind: str, arguments: Mapping[str, Any], stack: Stack) -> tuple[Any, Mapping[str, Any], frozenset[str]]:
    """The op of a layer, its arguments with the defaults, and the names of those that are not defaults."""
    taken = frozenset(arguments)
    if kind in OWN:
        return OWN[kind](arguments), arguments, taken
    spelling = LAYERS[f"keras.layers.{kind}"]
    bound = bind_spelling(spelling, (), arguments, stack)
    if isinstance(bound, Unknown) or bound.problems:
        return Unknown(f"arguments of {kind}"), arguments, taken
    return spelling.builder(**bound.arguments), bound.arguments, taken


def _lambda(arguments: Mapping[str, Any]) -> Arithmetic:
    return Arithmetic("*" if "mul" in arguments["function"] else "+")


OWN: Mapping[str, Any] = {
    "+": lambda arguments: Arithmetic("+"), "*": lambda arguments: Arithmetic("*"),
    "CustomScaleLayer": lambda arguments: Arithmetic("+"), "TFOpLambda": _lambda,
    "LayerScale": lambda arguments: LayerScale(**arguments),
    "StochasticDepth": lambda arguments: StochasticDepth(**arguments),
}
"""Kinds that are no layers of keras.layers -> how their op is made of the arguments."""


def _padded(arguments: Mapping[str, Any], x: Any) -> Mapping[str, Any]:
    """The padding that depends on the extents: odd ones get one more row and column.

    keras/src/applications/imagenet_utils.py: correct_pad; where the extent is None, as for even ones
    """
    padding = arguments.get("padding")
    if not isinstance(padding, str) or not padding.startswith("$"):
        return arguments
    half = int(padding[1:]) // 2
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown) or len(x.shape) != 4:
        return {**arguments, "padding": Unknown("padding by the extents of an unknown input")}
    height, width = x.shape[1:3]
    if isinstance(height, Symbol):
        return {**arguments, "padding": ((half - 1, half), (half - 1, half))}
    if not isinstance(height, int) or not isinstance(width, int):
        return {**arguments, "padding": Unknown("padding by an unknown extent")}
    return {**arguments, "padding": tuple((half - 1 + extent % 2, half) for extent in (height, width))}


def total(weights: Iterable[tuple[Weight, ...] | Unknown]) -> Any:
    """All variables in one tuple, or the first that is not known."""
    found: list[Weight] = []
    for each in weights:
        if isinstance(each, Unknown):
            return each
        found += each
    return tuple(found)
