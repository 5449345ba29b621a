"""What a layer is to the interpreter, and what its inputs, policy and variables come to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy as shallow
from functools import cache
from typing import Any

from cudnnlint.events import LayerInfo
from cudnnlint.interp.functions import PLACED
from cudnnlint.interp.heap import clock
from cudnnlint.interp.join import join
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.histories import PAUSED, paused
from cudnnlint.ops.protocol import Policy, Weight
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import Dim, is_known, product
from cudnnlint.values.origins import PLACE


class ObjectV:
    """An object of a library class that is not modelled further: its path and arguments, for rules and handlers.

    assigned  names of the attributes that the program set
    """

    always_true = True

    def __init__(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any], span: Span) -> None:
        self.path, self.args, self.kwargs, self.span = path, args, kwargs, span
        self.assigned: frozenset[str] = frozenset()

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        self.assigned |= {name}

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, ObjectV) and other.path == self.path and other.args == self.args
        if not same and isinstance(other, ObjectV) and other.path == self.path == "torch.device":
            joined = join([self.args, other.args])
            return ObjectV(self.path, joined, {}, self.span) if isinstance(joined, tuple) else joined
        return self if same and other.kwargs == self.kwargs else Unknown("differs between paths")


def _spread(value: Any, rank: int) -> Any:
    """A number for each axis (torch/nn/modules/utils.py: _ntuple); padding may be a text."""
    if isinstance(value, int | str):
        return value if isinstance(value, str) else (value,) * rank
    return tuple(value) if isinstance(value, tuple | list) else Unknown("of each axis")


class LayerV:
    """A layer: builtin ones have an `op`; for a user's class (`user`) the op is None or the library base's.

    weights    built variables: tuple[Weight, ...], Unknown, or None before the first application
    tracked    makers of variables that are its own where they are attributes of the user's object
    read       for its weights that were read as attributes, how the tensors that stand for them came to be
    calls      applications so far as (inputs, outputs)
    outcomes   what its op gave for inputs met so far, shared by equal layers; None where its op holds more than values
    mode       whether it is in training mode, for a module of PyTorch; None for a layer of Keras, which is told
    handed_over  names of variables that a layer around it took for its own
    """

    always_true = True
    named = False
    """Whether the program gave it its name, or Keras one that has no number."""

    def __init__(self, path: str, name: str, span: Span, op: Any = None, arguments: dict[str, Any] | None = None,
                 given: frozenset[str] = frozenset(), base: dict[str, Any] | None = None,
                 policy: Policy = Policy()) -> None:
        self.born = next(clock)
        self.path, self.name, self.span, self.op = path, name, span, op
        self.arguments = arguments or {}
        self.given, self.base, self.policy = given, base or {}, policy
        self.positional = 0
        self.twice = False
        self.mode: Any = None
        self.handed_over: tuple[str, ...] = ()
        self.assumptions: Assumptions = NONE
        self.weights: tuple[Weight, ...] | Unknown | None = None
        self.added: list[Weight] = []
        self.tracked: tuple[str, ...] = ()
        self.read: dict[str, Step] = {}
        self.calls: list[tuple[Any, Any]] = []
        self.user: InstanceV | None = None
        self.model: Any = None
        self.built = False
        self.compiled: dict[str, Any] | None = None
        self.outcomes: dict[Any, Any] | None = None
        self._told: tuple[Any, LayerInfo] | None = None
        self._counted: tuple[Any, Dim] | None = None
        self.extra: dict[str, Any] = {}

    def snapshot(self) -> Any:
        return self.weights, self.built, self.compiled, self.mode, tuple(self.added), self.op, self.arguments

    def restore(self, state: Any) -> None:
        self.weights, self.built, self.compiled, self.mode = state[:4]
        self.added = list(state[4])
        self.become(state[5])
        self.arguments = state[6]

    def of_turns(self, states: Sequence[Any]) -> Sequence[Any]:
        """Keras builds a layer once, as it is first called (keras/src/layers/layer.py: Layer._maybe_build): after a
        loop that calls it, it is as a turn built it."""
        built = next((state for state in states if state[1]), None)
        if built is None:
            return states
        return [state if state[1] else (built[0], True, *state[2:4], built[4], *state[5:]) for state in states]

    def merge(self, states: Any) -> None:
        """Built differently on two paths: the variables are not known, unless there are none to build."""
        weights = [state[0] for state in states]
        if all(one is None or one == () for one in weights):
            weights = [() if () in weights else None]
        same = all(weight == weights[0] for weight in weights)
        self.weights = weights[0] if same else Unknown("built differently between paths")
        self.built = any(state[1] for state in states)
        self.compiled = states[0][2] if all(state[2] is states[0][2] for state in states) else {}
        modes = [state[3] for state in states]
        self.mode = modes[0] if all(mode == modes[0] for mode in modes) else Unknown("training or not")
        added = [state[4] for state in states]
        self.added = list(added[0] if all(one == added[0] for one in added) else _differing(added))
        if any(state[5] is not states[0][5] for state in states):
            from cudnnlint.interp.keras.reset import Untold

            self.become(Untold("set differently between paths"))

    def become(self, op: Any) -> None:
        """Another op from now on, with nothing remembered of the former."""
        if op is not self.op:
            self.op, self.outcomes, self._told = op, None, None

    def note_call(self, m: Machine, inputs: Any, output: Any) -> None:
        """One application; of what a file itself does nothing is left when it ends."""
        if not self.calls:
            m.keep(self)
        self.calls.append((inputs, output))

    def stand_for(self, m: Machine, tensor: Tensor) -> None:
        """It is the input layer whose output is `tensor`, which knows that it came of it."""
        self.extra["tensor"] = tensor
        m.keep(self)

    def let_go(self) -> None:
        """Its file has ended."""
        self.calls.clear()
        self.extra.pop("tensor", None)

    def copied(self, copy: Callable[[Any], Any]) -> LayerV:
        """A module of PyTorch with weights of its own, those of the same shapes."""
        made = shallow(self)
        made.born, made.calls, made.added, made.read = next(clock), [], list(self.added), {}
        made.extra, made._told = {key: copy(value) for key, value in self.extra.items()}, None
        made.model = copy(self.model) if self.model is not None else None
        return made

    @property
    def display(self) -> str:
        return self.user.cls.name if self.user is not None else self.path.rpartition(".")[2]

    def info(self) -> LayerInfo:
        """The layer as rules see it; made once, and again once it turns out to be a user's class."""
        if self._told is None or self._told[0] is not self.user:
            self._told = self.user, LayerInfo(path="" if self.user is not None else self.path, name=self.display,
                                              span=self.span, arguments=self.arguments, given=self.given, op=self.op,
                                              variable=self.policy.variable, positional=self.positional,
                                              twice=self.twice, base=self.base, compute=self.policy.compute,
                                              derives=self.path if self.user is not None else "")
        return self._told[1]

    def params(self) -> Dim:
        """How many parameters its variables have, counted once."""
        if self._counted is None or self._counted[0] is not self.weights:
            self._counted = self.weights, count(self._own_weights())
        return self._counted[1]

    def _own_weights(self) -> tuple[Weight, ...] | Unknown | None:
        if not self.handed_over or not isinstance(self.weights, tuple):
            return self.weights
        return tuple(weight for weight in self.weights if weight.name not in self.handed_over)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in self.extra:
            return self.extra[name]
        if name == "name":
            if m.recording is not None:
                m.recording.refused = True  # it differs from one to the next
            return name_of(m, self)
        if name == "rank" and (found := CONVOLUTIONS.match(self.path)):
            return int(found[1])
        if name in SPREAD and name in self.arguments and (found := SPREADING.match(self.path)):
            return _spread(self.arguments[name], int(found[1]))
        if name in SPREAD and name in self.arguments and self.path in POOLS:
            given = self.arguments[name]  # torch/nn/modules/pooling.py: as it is, a window for no stride
            return self.attribute(m, "kernel_size") if name == "stride" and given is None else \
                Unknown("a list") if isinstance(given, list) else given
        if name in self.arguments and not name.startswith("_") and name not in NORMALIZED \
                and (name != "bias" or not self.path.startswith("torch.nn.") or self.path in SAYING):
            value = self.arguments[name]
            if isinstance(value, (int, float, str, bool, Unknown)):
                return value
        return MISSING

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        if name in self.arguments:
            from cudnnlint.interp.keras.reset import reset

            m.heap.touch(self)
            reset(self, name, value)
        if self.path.startswith("torch.") and isinstance(plain(value), Tensor | Unknown):
            m.heap.touch(self)
            self.extra[PLACE] = None  # it may be a parameter, and lie elsewhere than the others
            if name == "weight":
                from cudnnlint.interp.keras.reset import reweighted

                reweighted(m, self, plain(value))
        if isinstance(self.weights, tuple) and any(weight.name == name for weight in self.weights) \
                and getattr(plain(value), "step", None) is not self.read.get(name, name) \
                and not self._is_changed_in_place(name, plain(value)):
            m.heap.touch(self)
            self.weights = Unknown(f"a {name} that the program sets")
        self.extra[name] = Unknown("set on some paths") if m.uncertain and name in NAMING else value
        if name == "trainable":
            from cudnnlint.interp.keras.parts import set_trainable

            set_trainable(m, self, value)

    def _is_changed_in_place(self, name: str, value: Any) -> bool:
        """`layer.bias.copy_(...)`: it is the same weight with other elements."""
        step, weights = value.step if isinstance(value, Tensor) else None, self.weights
        return step is not None and isinstance(step.maker, str) and step.maker.startswith("torch.Tensor.") \
            and isinstance(weights, tuple) \
            and any(weight.name == name and weight.shape == value.shape for weight in weights) \
            and bool(step.parents) and step.parents[0].step is not None \
            and step.parents[0].step.maker == "torch.nn.Module.weight"

    def called(self, c: Call) -> Any:
        if len(c.args) > 1:
            from cudnnlint.interp.mistakes.misfits import tell_of_positional

            tell_of_positional(c, self)
        if len(c.args) > 1 or c.kwargs:
            from cudnnlint.interp.mistakes.layer_calls import tell_of_layer_call

            tell_of_layer_call(c, self)
        if self.path.startswith("torch.") and (why := _of_torch()(c, self)) is not None:
            return why
        if PLACED in c.machine.state and self.path.startswith("torch.") and self._apart(c):
            return Unknown("tensors on two devices")
        result = _applying()(c.machine, self, c.args, c.kwargs, c.span)
        if PAUSED in c.machine.state and self.path.startswith("torch."):
            paused(c.machine, plain(result))
        return result

    def _apart(self, c: Call) -> bool:
        from cudnnlint.interp.convert import strip
        from cudnnlint.interp.torch.places import tell_of_input, watches
        from cudnnlint.values.tensor import tensors

        return watches(c.machine) and tell_of_input(
            c.machine, self, tensors([strip(value) for value in (*c.args, *c.kwargs.values())]), c.span)


@cache
def _applying() -> Callable[..., Any]:
    """Of a module that needs this one: an import costs a microsecond each time that it is come to."""
    from cudnnlint.interp.keras.application import apply_layer

    return apply_layer


@cache
def _of_torch() -> Callable[..., Unknown | None]:
    from cudnnlint.interp.torch.forwards import refused

    return refused


SAYING = frozenset(f"torch.nn.{name}" for name in ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"))
"""Modules of PyTorch whose `bias` is whether they have any (torch/nn/modules/rnn.py); elsewhere it is the tensor."""
DIFFERING = Weight("variables", (Unknown("other weights between paths"),))


def _differing(added: list[tuple[Weight, ...]]) -> Iterator[Weight]:
    """What add_weight() made on all paths alike, and that there is more, of which nothing is known."""
    for index, one in enumerate(added[0]):
        if any(index >= len(other) or other[index] != one for other in added) or one == DIFFERING:
            break
        yield one
    yield DIFFERING


@cache
def snake(name: str) -> str:
    """Keras' automatic names (keras/src/utils/naming.py: to_snake_case): Conv2D -> conv2d."""
    import re

    text = re.sub(r"\W+", "", name)
    text = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", text)
    return re.sub("([a-z])([A-Z])", r"\1_\2", text).lower()


CONVOLUTIONS = re.compile(r"keras\.layers\.\w*Conv([123])D")
"""And the axes that they slide along (keras/src/layers/convolutional/base_conv.py)."""
SPREADING = re.compile(r"torch\.nn\.(?:Lazy)?Conv(?:Transpose)?([123])d$")
POOLS = frozenset(f"torch.nn.{kind}d" for kind in ("MaxPool1", "MaxPool2", "MaxPool3", "AvgPool2", "AvgPool3"))
SPREAD = frozenset({"kernel_size", "stride", "padding", "dilation", "output_padding"})
"""What convolutions of PyTorch keep for each axis (torch/nn/modules/conv.py)."""
NORMALIZED = frozenset({
    "name", "kernel_size", "strides", "dilation_rate", "pool_size", "padding", "cropping", "size", "activation"})
"""Arguments kept in another form than they are given (keras/src/utils/argument_validation.py: standardize_tuple)."""


WEIGHT = "keras.layers.Layer.add_weight"
"""What made a tensor that is a variable of a user's layer, and trained."""
FROZEN = "keras.layers.Layer.add_weight(trainable=False)"
"""The same of one that is not trained."""


NAMING = ("name", "_name")


def name_of(m: Machine, layer: Any) -> Any:
    """The name of a layer or model as it is now: Keras 2 keeps it in `_name`, and from 2.4 on lets nobody set `name`
    (tf_keras/src/engine/base_layer.py: Layer.name; keras/src/ops/operation.py: Operation.__init__)."""
    name = layer.extra.get("name", layer.name)
    return name if m.stack.keras >= (3,) else layer.extra.get("_name", name)


def is_symbolic(about: tuple[Tensor, ...]) -> bool:
    """Whether one of them is a layer's symbolic tensor; asked at every event."""
    return "keras" in [tensor.kind for tensor in about]


def phase_of(m: Machine, about: tuple[Tensor, ...]) -> str:
    if is_symbolic(about):
        return "symbolic"
    return "call" if m.phase == "call" else "eager"


def is_eager(m: Machine, about: tuple[Tensor, ...]) -> bool:
    """Whether real tensors flow: not while a model is built from symbolic ones, inside its call() methods too."""
    return not m.symbolic and not is_symbolic(about)


def is_fixed(m: Machine, about: tuple[Tensor, ...]) -> bool:
    """Whether real tensors flow in a call of its own, whose batch is the one that the program hands over."""
    return not m.any_batch and is_eager(m, about)


def count(weights: Any) -> Dim:
    """Number of parameters of a tuple of weights."""
    if weights is None or isinstance(weights, Unknown):
        return Unknown("weights")
    total: Dim = 0
    for weight in weights:
        size = product(weight.shape)
        if not is_known(size) or not is_known(total):
            return Unknown("weights")
        total += size  # type: ignore[operator]
    return total
