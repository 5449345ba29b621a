"""What to say of labels that do not fit an output: what would make them fit."""

from __future__ import annotations

from dataclasses import replace

from cudnnlint.events import Event, tensors
from cudnnlint.finding import Label
from cudnnlint.rules.ancestry import behind, within
from cudnnlint.rules.comparisons import Case
from cudnnlint.rules.losses import BINARY, ONE_HOT, SPARSE, Extents
from cudnnlint.trace import provenance
from cudnnlint.values import Tensor


def trace_of(event: Event, case: Case) -> tuple[Label, ...]:
    """The provenance, and what gives the output: where a model is a class, the event tells of its data only."""
    output = case.output
    told = (event if len(event.about) < 4 else replace(event, about=(case.y, output))).trace  # of many
    while output.step is not None and (inner := tensors(output.step.body)):
        output = inner[0]
    made = provenance(output, event.span)[-1:] if output is not case.output else ()
    return told if any(label.span == last.span for label in told for last in made) else (*told, *made)


def other_loss(case: Case) -> str:
    """The crossentropy that takes such labels, "" if neither does."""
    t, o, name = case.t, case.o, case.loss.name
    if name == SPARSE and len(t) == len(o) and t[1:-1] == o[1:-1] and t[-1] in (o[-1], None):
        return ONE_HOT
    return SPARSE if name == ONE_HOT and (len(t) == len(o) - 1 or t[-1] == 1) else ""


def help_of(case: Case) -> str:
    """What to change: the loss, the last layer or the labels; "" if neither is plain."""
    t, o, name = case.t, case.o, case.loss.name
    if case.several_to_one:
        return ('one unit goes with one column of labels, as class_mode="binary" or label_mode="binary" gives; a '
                f'column for each class, with as many units, a softmax and loss="{ONE_HOT}"')
    if other_loss(case) == ONE_HOT:
        return f'one-hot labels go with loss="{ONE_HOT}"; class numbers, without to_categorical, with this one'
    if other_loss(case) == SPARSE:
        if len(t) == 1 and len(o) == 2 and t[0] == o[-1] != o[0] == 1:
            return f"one label that is one-hot needs a batch axis: y[np.newaxis], (1, {t[0]})"
        return f'class numbers go with loss="{SPARSE}"; or make them one-hot: to_categorical(y, {o[-1]})'
    if name == BINARY and o[-1] == 2 and (len(t) == 1 or t[-1] == 1):
        return f'one unit with a sigmoid tells two classes apart; two units go with loss="{SPARSE}"'
    if len(t) == len(o) + 1 == 3 and name != SPARSE and t[-1] == o[-1] and _is_of_steps(case.output):
        return (f"return_sequences=True in the last recurrent layer gives an output for each of {t[1]} steps; or one "
                "label for each sample")
    if name == SPARSE and len(o) == len(t) + 2 == 3 and o[1] == 1:
        return "take the axis of one step from the output, output[:, 0], or give the labels one, labels[:, tf.newaxis]"
    if len(o) > max(2, len(t)):
        sequences = ", or leave return_sequences out of the last recurrent one" if gives_steps(case.output) else ""
        return f"flatten or pool before the last layer{sequences}: the output has {len(o)} axes"
    if len(t) == len(o) > 3 and t[1] == o[-1] != t[-1] and _may_equal(t[2:], o[1:-1]):
        return "the labels have their channels first, the output has them last: give data and layers one data_format"
    places = t[1:-1] if name == SPARSE and len(t) == len(o) and t[-1] == 1 else t[1:] if name == SPARSE else t[1:-1]
    if len(o) > 3 and (factor := _factor(places, o[1:-1])):
        return (f"the labels are {factor} times as large as the output: let the model enlarge it, by an upsampling or "
                f"strides of {factor} in a transposed convolution, or resize the labels")
    if len(t) == len(o) > 3 and t[-1] == o[-1] and _is_enlarged(case.output):
        return ("the decoder does not restore the size: crop what it gives, or start from extents that every halving "
                "divides")
    if len(o) > 3 and len(places) == len(o) - 2 and not _may_equal(places, o[1:-1]):
        return (f"the output has {_by(o[1:-1])} places, the labels have {_by(places)}: let the model restore the size, "
                "or make the labels as large as its output")
    if len(t) == len(o) and t[-1] != o[-1]:
        return f"the last layer has {_counted(o[-1], 'unit')}, the labels have {_counted(t[-1], 'column')}"
    if len(t) == 1 and len(o) == 2 and name not in (SPARSE, ONE_HOT):
        return f"one number for each sample goes with 1 unit in the last layer, which has {o[-1]}"
    return ""


def _is_of_steps(output: Tensor) -> bool:
    """Whether a recurrent layer made it, which gave its last step only."""
    return any(within(layer).arguments.get("return_sequences") is False for layer, _, _ in behind(output))


def gives_steps(output: Tensor) -> bool:
    """Whether a recurrent layer may have given all its steps."""
    made = [within(layer) for layer, _, _ in behind(output)]
    return not made or any(layer.arguments.get("return_sequences") not in (None, False) or not layer.path
                           for layer in made)


def _is_enlarged(output: Tensor) -> bool:
    """Whether a layer on the way to it enlarges images, as decoders do; a model of the user's own may."""
    names = [within(layer).path for layer, _, _ in behind(output)]
    return not all(names) or any(word in name for name in names for word in ("UpSampling", "Transpose"))


def _factor(places: Extents, others: Extents) -> int:
    """How many times as large the labels are as the output along each axis, from 2 on; 0 where that is not one number.

    >>> _factor((128, 96), (64, 48)), _factor((128, 96), (64, 96))
    (2, 0)
    """
    found = {a // b if a and b and a % b == 0 else 0 for a, b in zip(places, others, strict=False)}
    return found.pop() if len(places) == len(others) and len(found) == 1 and found != {1} else 0


def _may_equal(places: Extents, others: Extents) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(places, others, strict=True))


def _by(places: Extents) -> str:
    return "x".join("?" if each is None else str(each) for each in places)


def _counted(count: int | None, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
