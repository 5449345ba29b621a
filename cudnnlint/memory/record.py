"""A model that was followed as the operations of a step: its graph of tensors walked, each layer recorded by its op."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

from cudnnlint.events.training import ADDED, GRADIENT, LOSS, SAME
from cudnnlint.interp.convert import strip
from cudnnlint.interp.join import JOIN
from cudnnlint.interp.keras.layers import WEIGHT, LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.memory.losses import loss_of
from cudnnlint.memory.masked import hands_on, is_masked
from cudnnlint.memory.modes import told
from cudnnlint.memory.nested import inner_gradient
from cudnnlint.memory.operands import before, flag, inside, is_given, key, operands, picked, said, width_of
from cudnnlint.memory.penalties import Penalty, activities_of, activity, of_variables, penalties_of
from cudnnlint.ops.kernels.equations import by_equation
from cudnnlint.ops.kernels.functions import lowered
from cudnnlint.ops.kernels.maths import cast
from cudnnlint.ops.kernels.products import spread_over
from cudnnlint.ops.kernels.recurrent import in_steps, looped_in
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import NotSized, Size, Tape, Value
from cudnnlint.ops.protocol import Weight
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Stack, Step, Tensor, Unknown, is_floating
from cudnnlint.values.sizes import BYTES
from cudnnlint.values.tensor import tensors

TIMED, MANY = "keras.layers.TimeDistributed", 4096


@record(frozen=True, slots=True)
class Place:
    """A layer of the program: what the terms of an estimate are told by."""

    label: str
    span: Span | None = None


@record(slots=True)
class Recorder:
    """Records what tensors are made of on a tape.

    mode     whether layers work in training mode
    known    id of a step (of a tensor, where it has none) -> value
    results  of calls that give several tensors; scopes: what is known within calls of models
    owned    id of a layer -> its variables; read: id of the step by which the program reads one itself -> that
    places   the layers by number, as `Kernel.layer` counts them
    penalties  what regularizers of weights add to the loss
    activities  what regularizers of what layers give add to it, with the layers
    norms    what the program itself adds to a loss: whose variables it is computed from, and how
    masks    keys of tensors that carry a mask
    """

    tape: Tape
    stack: Stack
    training: bool = True
    mode: bool = True
    known: dict[int, Value] = field(default_factory=dict)
    results: dict[int, Any] = field(default_factory=dict)
    scopes: dict[int, Any] = field(default_factory=dict)
    owned: dict[int, tuple[tuple[str, Value], ...]] = field(default_factory=dict)
    read: dict[int, Value] = field(default_factory=dict)
    places: list[Place] = field(default_factory=lambda: [Place("")])
    numbers: dict[int, int] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    penalties: list[Penalty] = field(default_factory=list)
    activities: list[tuple[LayerV, Value]] = field(default_factory=list)
    norms: list[tuple[list[Any], str]] = field(default_factory=list)
    masks: set[int] = field(default_factory=set)

    def value(self, root: Tensor) -> Value:
        """Iterative over the graph: models may be hundreds of layers deep."""
        stack = [root]
        while stack:
            tensor = stack[-1]
            if key(tensor) in self.known:
                stack.pop()
                continue
            if (norm := of_variables(tensor)) is not None:
                self.norms.append(norm)
                self.known[key(stack.pop())] = self.tape.value(Size(1))
                continue
            parents = before(tensor)
            pending = [parent for parent in reversed(parents) if key(parent) not in self.known]
            if pending:
                stack.extend(pending)
                continue
            self.kept.append(tensor)
            self.known[key(tensor)] = self.made(tensor)
            maker = tensor.step.maker if tensor.step is not None else None
            if hands_on(maker, self.carried(parents), bool(self.masks)):
                self.masks.add(key(tensor))
            stack.pop()
        return self.known[key(root)]

    def made(self, tensor: Tensor) -> Value:
        step = tensor.step
        if step is None or is_given(tensor):
            return self.given(tensor)
        if step.maker == SAME:
            return self.value(step.parents[0])
        if step.maker == WEIGHT:
            return self.own_weight(tensor, step)
        if step.maker == GRADIENT:
            return self.gradient(tensor, step)
        if step.maker == JOIN:
            raise NotSized("layers that differ between paths")
        if step.maker == LOSS:
            return self.loss(tensor, step)
        if step.maker == ADDED:
            return self.added(step)
        outer, mode = self.tape.layer, self.mode
        self.mode = told(step, mode)
        try:
            return self.applied(tensor, step)
        except NotSized as reason:
            return self.unsized(tensor, step, reason)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:  # a bug of ours
            return self.unsized(tensor, step, NotSized(f"internal error: {type(error).__name__}: {error}"))
        finally:
            self.tape.layer, self.mode = outer, mode

    def own_weight(self, tensor: Tensor, step: Step) -> Value:
        """A variable that the program reads itself."""
        if id(step) not in self.read:
            shape = tensor.shape if isinstance(tensor.shape, tuple) else (tensor.shape,)
            self.read[id(step)] = self.tape.variable(shape, width_of(tensor.dtype))
        return self.read[id(step)]

    def given(self, tensor: Tensor) -> Value:
        """What is there before the step: the batch, constants."""
        try:
            return self.tape.value(self.tape.size_of(tensor))
        except NotSized as reason:
            self.tape.unknown[f"an input: {reason}"] = None
            return self.tape.value(self.tape.size(()))

    def gradient(self, tensor: Tensor, step: Step) -> Value:
        """What a tape gave for a tensor, on the way forward of an outer one."""
        losses = [one for one in map(self.value, tensors(step.arguments[0][0].loss)) if one.size]
        if not losses or not step.parents:
            raise NotSized("a gradient of what is not known")
        return inner_gradient(self.tape, losses[0], self.value(step.parents[-1]))

    def unsized(self, tensor: Tensor, step: Step, reason: NotSized) -> Value:
        """A part that is not known keeps nothing: the estimate becomes a lower bound."""
        name = getattr(step.maker, "display", step.maker if isinstance(step.maker, str) else "a function")
        self.tape.unknown[f"{name}: {reason}"] = None
        try:
            size = self.tape.size_of(tensor)
        except NotSized:
            size = self.tape.size(())
        return self.tape.run("unknown", tuple(self.value(parent) for parent in step.parents), size)

    def applied(self, tensor: Tensor, step: Step) -> Value:
        maker = step.maker
        if maker is None:
            return self.unnamed(tensor, step)
        if isinstance(maker, str):
            values = tuple(self.value(parent) for parent in step.parents)
            self.tape.layer = self.number(step, maker.rpartition(".")[2], step.span)
            equation = step.arguments[0][0] if step.arguments is not None and step.arguments[0] else None
            values = spread_over(self.tape, maker, step.parents, values, tensor.shape, self.stack.keras, equation)
            size = self.tape.size_of(tensor)
            product = by_equation(self.tape, maker, values, size, self.stack.keras, equation)
            return lowered(self.tape, maker, values, size, said(step, tensor)) if product is None else product
        if isinstance(maker, LayerV) and maker.op is not None and hasattr(maker.op, "lower") and step.body is None:
            return self.layer(maker, step, tensor)
        if step.body is not None:
            made = picked(step.body, step.index)
            value = self.each_step(made, step, tensor) or self.value(made)
            if key(made) in self.masks:
                self.masks.add(key(tensor))
            return value
        if isinstance(maker, ModelV) and maker.outputs is not None:
            return self.model(maker, step)
        raise NotSized("not modelled")

    def loss(self, tensor: Tensor, step: Step) -> Value:
        """A loss that the program calls: one number, or one for each sample and place."""
        losses, outputs = step.arguments[0]
        given = tensors(strip(plain(outputs)))
        computed, named = before(tensor), {key(one) for one in given}
        if computed and named.isdisjoint(map(key, computed)):  # in place of the labels
            given, named = computed, set(map(key, computed))
        values = [self.value(one) for one in given]
        size = self.tape.size_of(tensor) if len(given) == 1 and isinstance(tensor.shape, tuple) else None
        widths = [one.shape[-1] if isinstance(one.shape, tuple) and one.shape else 1 for one in given]
        labels = [self.value(one) for one in computed if key(one) not in named]
        return loss_of(self.tape, values, losses, widths, size, labels=labels)

    def model(self, model: ModelV, step: Step) -> Value:
        """A model of its own graph, on these inputs."""
        call = id(step.arguments) if step.arguments is not None else id(step)
        if call not in self.results:
            values = [self.value(parent) for parent in step.parents]
            outer, self.known, self.results = (self.known, self.results), dict(self.known), {}
            self.known.update(zip(map(key, tensors(model.inputs)), values, strict=False))
            for tensor in inside(model.outputs):
                self.known.pop(key(tensor), None)
            times = self.tape.times
            self.tape.times *= self.batches(model, values)
            try:
                made = {key(tensor): self.value(tensor) for tensor in tensors(model.outputs)}
            finally:
                self.scopes[call] = self.known, self.results
                self.tape.times, (self.known, self.results) = times, outer
            self.results[call] = made
        found: dict[int, Value] = self.results[call]
        return found[key(picked(model.outputs, step.index))]

    def added(self, step: Step) -> Value:
        """What a layer within a model gives to add_loss() in the call of the model that gave the parent."""
        made = step.parents[0].step
        if made is None or id(made.arguments) not in self.scopes:
            raise NotSized("a loss that is added within a model")
        outer = self.known, self.results
        self.known, self.results = self.scopes[id(made.arguments)]
        try:
            return self.value(step.arguments[0][0])
        finally:
            self.known, self.results = outer

    def each_step(self, made: Tensor, step: Step, tensor: Tensor) -> Value | None:
        """A TimeDistributed of a model of the program's: each step by itself. None for any other layer, and where there
        are too many."""
        given, shape = operands(step), tensor.shape
        if getattr(step.maker, "path", "") != TIMED or len(given) != 1 or not isinstance(shape, tuple) \
                or self.stack.keras < (3,):
            return None
        (x,), layers = given, list(inside(made, key(given[0])))
        if not isinstance(shape[1], int) or shape[1] * len(layers) > MANY or not isinstance(x.shape, tuple):
            return None
        outer = self.known, self.results

        def one(part: Value) -> Value:
            self.known, self.results = {**outer[0], key(x): part}, {}
            for each in layers:
                self.known.pop(key(each), None)
            return self.value(made)

        try:
            return in_steps(self.tape, self.value(x), self.tape.size((x.shape[0], *x.shape[2:])), shape[1], one)
        finally:
            self.known, self.results = outer

    def batches(self, model: ModelV, values: list[Value]) -> int:
        """How many batches a model is called on at once: real and generated images, joined."""
        for tensor, value in zip(tensors(model.inputs), values, strict=False):
            one = self.tape.size_of(tensor).each
            if one and value.size.each % one == 0 and value.size.each > one:
                return value.size.each // one
        return 1

    def unnamed(self, tensor: Tensor, step: Step) -> Value:
        """What is made of other tensors, it is not known how: there before the step, unless it comes from what is
        trained."""
        values = tuple(value for value in map(self.value, step.parents) if value.trained)
        if not values:
            return self.given(tensor)
        self.tape.unknown[f"what is computed on line {step.span.line}"] = None
        return self.tape.run("kept", values, self.tape.size_of(tensor))

    def layer(self, layer: LayerV, step: Step, tensor: Tensor) -> Value:
        given = operands(step)
        if layer.path == "keras.layers.InputLayer" or not given:
            return self.given(tensor)
        t, call = self.tape, id(step.arguments)
        if step.index and call in self.results:  # the states of a recurrent layer, beside its outputs
            return t.run("states", (self.results[call],), t.size_of(tensor), view=True)
        values = tuple(self.value(one) for one in given)
        t.layer = self.number(layer, layer.name, layer.span)
        width = BYTES.get(layer.policy.compute, 4)
        values = tuple(cast(t, value, width) if is_floating(one.dtype) else value
                       for one, value in zip(given, values, strict=True))
        made = self.variables(layer)
        active = self.training and self.mode
        site = Site(t, values, given, tensor, layer.arguments, dict(made), made, layer.policy, self.stack,
                    trains=active and self.trains(layer), training=active, kind=layer.display,
                    masked=is_masked(step, self.carried(step.parents)))
        done: Value = layer.op.lower(site)
        for kind in activities_of(layer) if self.training else ():
            self.activities.append((layer, activity(t, done, kind)))
        if step.index:
            self.results[call] = looped_in(t, done)
            self.kept.append(step.arguments)
        return done

    def trains(self, layer: LayerV) -> bool:
        """Whether it is not frozen. What is not known may be: then less is kept for the way back."""
        told = flag(layer)
        if isinstance(told, Unknown):
            self.tape.unknown["which layers are trained"] = None
        return told is not False and not isinstance(told, Unknown)

    def carried(self, operands: Iterable[Tensor]) -> bool:
        return any(key(one) in self.masks for one in operands)

    def variables(self, layer: LayerV) -> tuple[tuple[str, Value], ...]:
        if id(layer) not in self.owned:
            if not isinstance(layer.weights, tuple):
                raise NotSized("weights that are not known")
            trained = self.trains(layer)
            self.owned[id(layer)] = tuple((weight.name, self.variable(layer, weight, trained))
                                          for weight in layer.weights)
            self.penalties += penalties_of(layer.arguments, self.owned[id(layer)])
        return self.owned[id(layer)]

    def variable(self, layer: LayerV, weight: Weight, trained: bool) -> Value:
        """One that the program reads too, as a table whose transpose makes logits of features, is the same variable; in
        mixed precision a copy of it."""
        step = layer.read.get(weight.name)
        width = width_of(weight.dtype or layer.policy.variable)
        if step is not None and id(step) in self.read and self.read[id(step)].size.item == width:
            return self.read[id(step)]
        made = self.tape.variable(weight.shape, width, weight.trainable and trained)
        if step is not None and layer.policy.compute == layer.policy.variable:
            self.read[id(step)] = made
        return made

    def number(self, thing: Any, label: str, span: Span | None) -> int:
        if id(thing) not in self.numbers:
            self.numbers[id(thing)] = len(self.places)
            self.tape.names[len(self.places)] = label
            self.places.append(Place(label, span))
            self.kept.append(thing)
        return self.numbers[id(thing)]
