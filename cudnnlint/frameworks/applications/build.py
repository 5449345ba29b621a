"""A planned graph made into layers, tensors and a model of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cudnnlint.events import LayerApplied, ModelBuilt, Rejected
from cudnnlint.frameworks.applications.checks import Request, clash
from cudnnlint.frameworks.applications.graph import Failure, Plan, Planned, Wanted, plan
from cudnnlint.frameworks.keras.making import RECORDED_LAYERS, input_name
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layer_policy import policy_of
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import told_params
from cudnnlint.interp.loops.turns import came_to_be
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Mismatch, Problem, Shape, Step, Symbol, Tensor, Unknown
from cudnnlint.values.assumption import Assumptions

AT_THE_SOURCE = frozenset({"regnet", "convnext"})
"""Modules that pass over the layers between the Input and input_tensor; convnext no more since Keras 3.9."""
POOLS = ("avg", "max")


def built(c: Call, request: Request, shape: Shape, found: Assumptions) -> Any:
    """The model: its layers made and applied, as real Keras would."""
    m = c.machine
    tensor = request.values.get("input_tensor")
    if tensor is not None and (not isinstance(tensor, Tensor) or tensor.kind != "keras"):
        return Unknown(f"{request.model} on an input_tensor that is not known")
    if isinstance(tensor, Tensor) and (wrong := clash(request, tensor)) is not None:
        m.say(Rejected, c.span, about=(tensor,), assumptions=found, what=request.model, mismatch=wrong)
        return Unknown(f"{request.model}() fails")
    wanted, doubts = _wanted(m, request, shape)
    if isinstance(wanted, Unknown):
        return wanted
    floatx = m.state.get("floatx", "float32")
    source = _source(tensor, wanted) if isinstance(tensor, Tensor) else Tensor((BATCH, *shape), floatx, "keras")
    if not request.record.get("open", True) and _is_open(source):
        return Unknown(f"{request.model} is on record for a static input only")
    planned = plan(wanted, Tensor(source.shape, source.dtype, "keras"))
    if isinstance(planned, Unknown):
        return planned
    if isinstance(planned, Failure):
        m.say(Rejected, c.span, about=(source,), assumptions=found, what=f"{request.model}'s {planned.layer}",
              mismatch=_within(request, planned), inputs=source)
        return Unknown(f"{request.model}() fails")
    m.tick(2 * len(planned.layers))
    return Builder(m, c.span, found | m.frame.control, wanted.name).model(planned, source, tensor, doubts)


def _within(request: Request, failed: Failure) -> Mismatch:
    """Of a layer that the program does not write: what it gets is all that can be changed."""
    wrong = failed.mismatch
    return replace(wrong, message=f"{request.model}: {failed.layer}: {wrong.message}",
                   help="enlarge the images" if wrong.problem is Problem.EMPTY_DIM else "")


def _wanted(m: Machine, request: Request, shape: Shape) -> tuple[Wanted | Unknown, Unknown | None]:
    """Which graph; and why its first layers are not known, if so."""
    values, top = request.values, request.top
    pooling, minimalistic = values.get("pooling"), values.get("minimalistic", False)
    if isinstance(top, Unknown):
        return Unknown("include_top is not known"), None
    if not top and isinstance(pooling, Unknown):
        return Unknown("pooling is not known"), None
    if isinstance(minimalistic, Unknown):
        return Unknown("minimalistic is not known"), None
    name = values.get("name", values.get("model_name")) or _name(request, shape)
    if not isinstance(name, str):
        return Unknown("the model's name is not known"), None
    head = "top" if top else pooling if pooling in POOLS else "none"
    stem, doubts = _stem(request, shape)
    dropout = "dropout_rate" if "dropout_rate" in values else "dropout"
    classes, activation, rate, alpha, multiplier = (_whole(values, key, default) for key, default in (
        ("classes", 1000), ("classifier_activation", "softmax"), (dropout, 0), ("alpha", 1), ("depth_multiplier", 1)))
    return Wanted(request.module, request.model, m.stack, head, stem, name, classes, activation, rate, alpha,
                  multiplier, bool(minimalistic), policy_of(m, None)), doubts


def _whole(values: Mapping[str, Any], name: str, default: Any) -> Any:
    """An argument; graphs are kept by it, so that a list or the like is as good as unknown."""
    value = values.get(name, default)
    try:
        hash(value)
    except TypeError:
        return Unknown(name)
    return value


def _name(request: Request, shape: Shape) -> str:
    """keras/src/applications/mobilenet.py, mobilenet_v2.py: alpha and the rows of the weights are in the name."""
    name, alpha = str(request.record["name"]), request.values.get("alpha")
    if request.module not in ("mobilenet", "mobilenet_v2") or not isinstance(alpha, int | float):
        return name
    rows: Any = shape[0] if not isinstance(shape[0], Symbol) else None
    if request.pretrained is True:
        sizes = (128, 160, 192, 224) if request.module == "mobilenet" else (96, 128, 160, 192, 224)
        rows = rows if rows == shape[1] and rows in sizes else 224
    return f"{name.partition('_')[0]}_{alpha:0.2f}_{rows}"


def _stem(request: Request, shape: Shape) -> tuple[str, Unknown | None]:
    """Flags of what changes the first layers."""
    known = request.record["stems"]
    raw = request.values.get("include_preprocessing", True)
    weights, channels = request.pretrained, shape[2]
    doubts = [value for value, flag in ((weights, "w"), (raw, "r"), (channels, "c"))
              if isinstance(value, Unknown) and any(flag in stem for stem in known)]
    flags = ("w" if weights is True and "w" in known else "") + ("r" if raw is False else "") + \
        ("c" if isinstance(channels, int | Symbol) and channels != 3 else "")
    return flags, doubts[0] if doubts else None


def _source(tensor: Tensor, wanted: Wanted) -> Tensor:
    """Where the first layer starts from."""
    if wanted.module not in AT_THE_SOURCE or (wanted.module == "convnext" and wanted.stack.keras >= (3, 9)):
        return tensor
    return _sources(tensor)[0]


def _sources(tensor: Tensor) -> list[Tensor]:
    """The Inputs that a tensor comes from (keras/src/ops/operation_utils.py: get_source_inputs)."""
    found: list[Tensor] = []
    seen: set[int] = set()
    todo = [tensor]
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        parents = current.step.parents if current.step is not None else ()
        if parents:
            todo.extend(reversed(parents))
        else:
            found.append(current)
    return found


def _is_open(tensor: Tensor) -> bool:
    return not isinstance(tensor.shape, tuple) or any(isinstance(dim, Symbol) for dim in tensor.shape[1:3])


class Builder:
    """Makes the layers of one call at one place; names that Keras numbers count on from those before."""

    def __init__(self, m: Machine, span: Span, assumptions: Assumptions, name: str) -> None:
        self.m, self.span, self.assumptions, self.name = m, span, assumptions, name
        self.begun = dict(m.counters)
        self.policy = policy_of(m, None)

    def model(self, planned: Plan, source: Tensor, given: Tensor | None, doubts: Unknown | None) -> ModelV:
        made: list[Tensor] = []
        layers: list[Any] = []
        for each in planned.layers:
            tensor = self.first(each, source, given) if each.row.kind == "InputLayer" else self.applied(each, made)
            made.append(tensor)
            if tensor.step is not None and isinstance(tensor.step.maker, LayerV | ModelV):
                layers.append(tensor.step.maker)
        model = ModelV("functional", "keras.Model", self.name, self.span)
        model.named = not self.name.startswith("mobilenet")  # alpha and the rows are in the name
        inputs = made[:1] if given is None else _sources(given)
        model.inputs = inputs[0] if len(inputs) == 1 else inputs
        model.outputs = made[-1]
        if doubts is not None:
            model.extra[RECORDED_LAYERS] = doubts
        elif given is None or given is inputs[0]:
            model.extra[RECORDED_LAYERS] = tuple(layers)
        self.m.say(ModelBuilt, self.span, about=(model.outputs,), applied=LayerApplied(
            span=self.span, stack=self.m.stack, layer=model.info(), maker=model, inputs=model.inputs,
            output=model.outputs, params=planned.params if given is None else told_params(self.m, model)))
        came_to_be(self.m, model, self.span)
        self.m.keep(model)
        return model

    def first(self, each: Planned, source: Tensor, given: Tensor | None) -> Tensor:
        if given is not None:
            return source
        layer = LayerV("keras.layers.InputLayer", input_name(self.m), self.span)
        layer.weights = ()
        tensor = Tensor(source.shape, source.dtype, "keras", None, Step(self.span, (), layer), self.assumptions)
        layer.stand_for(self.m, tensor)
        return tensor

    def numbered(self, prefix: str, number: int) -> int:
        """The number after the ones that were taken when the call began."""
        place = self.begun.get(prefix, 0) + number
        self.m.counters[prefix] = max(self.m.counters.get(prefix, 0), place + 1)
        return place

    def applied(self, each: Planned, made: list[Tensor]) -> Tensor:
        inputs = tuple(made[place] for place in each.inputs)
        if each.row.kind in ("+", "*"):
            self.name_of(each)
            return self.tensor(each.output, inputs, f"operator.{each.row.kind}",
                               (inputs if len(inputs) == 2 else (*inputs, each.arguments["value"]), {}))
        maker = self.sequential(each, inputs[0]) if each.row.kind == "Sequential" else self.layer(each)
        passed = inputs[0] if len(inputs) == 1 else ListV(list(inputs))
        tensor = self.tensor(each.output, inputs, maker, ((passed,), {}))
        if isinstance(maker, LayerV):
            maker.note_call(self.m, inputs[0] if len(inputs) == 1 else list(inputs), tensor)
        return tensor

    def tensor(self, output: Tensor, inputs: tuple[Tensor, ...], maker: Any, arguments: Any) -> Tensor:
        return Tensor(output.shape, output.dtype, "keras", None, Step(self.span, inputs, maker, arguments),
                      self.assumptions.union(*(each.assumptions for each in inputs)))

    def name_of(self, each: Planned) -> str:
        row = each.row
        if not row.is_numbered:
            return row.name
        if row.name.startswith("?"):  # tf_keras/src/applications/regnet.py: Head
            return f"{self.numbered('head', row.number) + 1}{row.name[1:]}"
        place = self.numbered(row.name, row.number)
        return f"{row.name}_{place}" if place else row.name

    def layer(self, each: Planned) -> LayerV:
        layer = LayerV(f"keras.layers.{each.row.kind}", self.name_of(each), self.span, each.op, dict(each.arguments),
                       each.given, {}, self.policy)
        layer.assumptions = self.assumptions
        layer.weights, layer.built, layer.named = each.weights, True, not each.row.is_numbered
        return layer

    def sequential(self, each: Planned, given: Tensor) -> ModelV:
        model = ModelV("sequential", "keras.Sequential", each.row.name, self.span)
        x = model.inputs = Tensor(given.shape, given.dtype, "keras", None, Step(self.span), self.assumptions)
        for part in each.parts:
            layer = self.layer(part)
            layer.note_call(self.m, x, self.tensor(part.output, (x,), layer, ((x,), {})))
            x = layer.calls[0][1]
            model.layers.items.append(layer)
        model.outputs = x
        return model
