"""Phrases that rules share: on which stacks, when, and with which exception something fails."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cudnnlint.events import Rejected, tensors
from cudnnlint.finding import Argument, Finding, Label, Recipe, WrapArgument
from cudnnlint.rules.fixes import unsafe
from cudnnlint.values import Problem, Where
from cudnnlint.values.stack import EVERYWHERE, Version, parse_version

_BOUNDS = {"<": "before", "<=": "up to", ">": "after", ">=": "from", "==": ""}


def rejection(event: Rejected) -> Finding:
    """The finding of a Mismatch: its own message and help, where it fails, and a fix where it says what to write. Its
    fact `elsewhere`, (span, text), is another place where what is wrong stands; `origins` are such where it began."""
    told = event.mismatch.fact("elsewhere")
    places = [*(event.mismatch.fact("origins") or ()), *([] if told is None else [told])]
    labels = [Label(*place) for place in places if place[0] != event.span]
    return event.finding(event.mismatch.message, help=event.mismatch.help, fails=fails(event), fix=wrapped(event),
                         trace=(*event.trace, *labels))


def wrapped(event: Rejected) -> Recipe | None:
    """What the Mismatch says to write around an argument of the call that fails: ("target", 1, "{}.squeeze(1)")."""
    told = event.mismatch.fact("wrap")
    if told is None or (event.layer is not None and event.span == event.layer.span):
        return None
    name, place, template = told
    return unsafe(template.format(name), WrapArgument(Argument(event.span, name, place), template))


def fails(event: Rejected) -> str:
    """`everywhere, when the model is built: ValueError "..."`."""
    told = f"{stacks(event.mismatch.where)}, {moment(event)}"
    return f"{told}: {event.mismatch.error}" if event.mismatch.error else told


def moment(event: Rejected) -> str:
    """When the failing call happens, as the user sees it."""
    if told := event.mismatch.fact("moment"):
        return str(told)
    if event.stage == "constructor":
        return "when the layer is made"
    if event.stage == "compile":
        return "in compile()"
    if event.stage == "called":
        return "when it is called"
    if event.stage != "call":
        return "in fit()" if event.stage == "validation_data" else f"in {event.stage}()"
    if any(tensor.kind == "keras" for tensor in tensors(event.inputs)):
        mismatch = event.mismatch
        built = mismatch.where == EVERYWHERE and mismatch.otherwise is not None and mismatch.error
        return "when the model first runs" if built else "when the model is built"
    return "when it runs" if event.layer is None else "when the layer is called"


def stacks(where: Where) -> str:
    """
    >>> stacks(Where()), stacks(Where(keras="<3|>=3.14")), stacks(Where(keras=">=3", tensorflow="<2.20"))
    ('everywhere', 'with Keras before 3 or from 3.14 on', 'with Keras from 3 on, TensorFlow before 2.20')
    """
    named = (("Keras", where.keras), ("TensorFlow", where.tensorflow), ("cuDNN", where.cudnn),
             ("PyTorch", where.torch))
    told = [f"{name} {spoken(clauses)}" for name, clauses in named if clauses]
    return f"with {', '.join(told)}" if told else "everywhere"


def class_name(name: str) -> str:
    """What Keras calls a class of its own in its errors, whatever alias the program uses. A name that only begins like
    an alias is one of the program's.

    >>> class_name("Convolution2D"), class_name("MaxPool2D"), class_name("Conv2D"), class_name("GlobalAvgPool1D")
    ('Conv2D', 'MaxPooling2D', 'Conv2D', 'GlobalAveragePooling1D')
    >>> class_name("ConvolutionBlock"), class_name("MyAvgPool2D")
    ('ConvolutionBlock', 'MyAvgPool2D')
    """
    found = ALIAS.fullmatch(name)
    return name if found is None else f"{found[1]}{EXPORTED[found[2]]}{found[3]}"


ALIAS = re.compile(r"(Global|Separable|Depthwise|)(Convolution|MaxPool|AvgPool)([123]D(?:Transpose)?)")
EXPORTED = {"Convolution": "Conv", "MaxPool": "MaxPooling", "AvgPool": "AveragePooling"}
"""keras/src/layers: @keras_export of several names."""


def refused_class(event: Rejected) -> str:
    """The name that Keras 3 prints of the layer that is made: type(self).__name__ (keras/src/layers/layer.py:
    Layer.__init__)."""
    is_own = event.layer is not None and not event.layer.path
    return event.what if is_own else class_name(event.what)


def not_imported(path: str) -> str:
    """What Python says of what a package no longer has: a name of a module, or a module.

    >>> print(not_imported("keras.layers.merge"))
    ImportError "cannot import name 'merge'" or ModuleNotFoundError "No module named 'keras.layers.merge'"
    """
    return f"ImportError \"cannot import name '{path.rpartition('.')[2]}'\" or ModuleNotFoundError \"No module named " \
           f"'{path}'\""


def missing(event: Rejected, names: Sequence[str]) -> str:
    """What is said of arguments that a call lacks."""
    return f'TypeError "missing {_required(event, names)}"'


def _required(event: Rejected, names: Sequence[str]) -> str:
    """Python's own words (Python/ceval.c: format_missing). Keras 3 binds a call's arguments itself, and tells of the
    first (keras/src/layers/layer.py: CallSpec)."""
    if event.stage not in ("constructor", "called") and event.stack.keras >= (3,):
        return f"a required argument: '{names[0]}'"
    kind = "keyword-only" if event.mismatch.fact("by_keyword") else "positional"
    quoted = enumerated([f"'{name}'" for name in names])
    return f"{len(names)} required {kind} argument{'s' * (len(names) > 1)}: {quoted}"


def enumerated(names: Sequence[str]) -> str:
    """
    >>> enumerated(["a"]), enumerated(["a", "b"]), enumerated(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])}, and {names[-1]}"


def counts_samples(event: Rejected) -> bool:
    """Whether the model's input was given the shape of the whole data: 100 samples for (100, 20) instead of (20,).

    What predict() is given may be a single sample that lacks its batch axis, and so may what a generator yields, of
    which no batch was cut.
    """
    mismatch = event.mismatch
    if mismatch.problem is not Problem.INPUT_SHAPE or event.stage not in ("fit", "evaluate") \
            or len(tensors(event.inputs)) != 1:
        return False
    expected, (fed,) = mismatch.fact("expected"), tensors(event.inputs)
    whole = fed.step.parents[0].shape if fed.step is not None and fed.step.parents else None
    return isinstance(whole, tuple) and len(whole) > 1 and tuple(expected[1:]) == whole != fed.shape \
        and all(isinstance(dim, int) for dim in whole)


def is_removed(event: Rejected) -> bool:
    """Whether an argument that is refused was taken by an earlier version."""
    mismatch = event.mismatch
    versions = mismatch.fact("versions") if mismatch.problem is Problem.UNKNOWN_ARGUMENT else ""
    return bool(versions) and not mismatch.fact("twice") and was_there(versions, event.stack.keras)


def was_there(clauses: str, version: Version) -> bool:
    """Whether something that exists on these versions existed before this one, which does not have it.

    >>> was_there("<3", (3, 15)), was_there(">=3.2", (2, 15)), was_there("<3|>=3.14", (3, 5)), was_there("<1", (3, 15))
    (True, False, True, False)
    """
    bounds = [part.strip()[1:] for clause in clauses.split("|") for part in clause.split(",")
              if part.strip().startswith("<")]
    return any((1,) < parse_version(bound) <= version for bound in bounds)


def written_now(instead: str) -> str:
    """
    >>> written_now("keras.ops.tile"), written_now("from keras.layers"), written_now("")
    ('write keras.ops.tile', 'import it from keras.layers', '')
    """
    return f"import it {instead}" if instead.startswith("from ") else f"write {instead}" if instead else ""


def spoken(clauses: str) -> str:
    """
    >>> spoken("<3"), spoken(">=2.12,<3")
    ('before 3', 'from 2.12 on and before 3')
    """
    return " or ".join(" and ".join(_bound(part.strip()) for part in clause.split(","))
                       for clause in clauses.split("|"))


def _bound(clause: str) -> str:
    """
    >>> _bound(">=3.14"), _bound("<3"), _bound("==2.2")
    ('from 3.14 on', 'before 3', '2.2')
    """
    operator = clause[:2] if clause[1:2] == "=" else clause[:1]
    version = clause[len(operator):]
    text = f"{_BOUNDS[operator]} {version}".strip()
    return f"{text} on" if operator == ">=" else text
