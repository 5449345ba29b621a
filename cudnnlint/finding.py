"""What a rule says about the program: frozen, picklable data, free of syntax nodes."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from cudnnlint.records import record
from cudnnlint.source import Span


class Level(enum.Enum):
    """How bad: an ERROR stops the run on some stack, a WARNING is silently wrong, INFO is advice."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Applicability(enum.Enum):
    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class Label(NamedTuple):
    """A secondary span: one step of the provenance, with what is known there (`float32[B, 3, 3, 3]`)."""

    span: Span
    text: str


class Edit(NamedTuple):
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@record(frozen=True, slots=True)
class Argument:
    """An argument of the call that stands at `call`: by keyword, or by position where the call counts that far.

    position  its place among those given by position; None where it was not
    count     how many were given by position, where that is known: a call that writes others (that of a
              functools.partial) is left alone
    """

    call: Span
    name: str
    position: int | None = None
    count: int | None = None


class SetArgument(NamedTuple):
    """Write `value`, an expression, in place of a literal, or add it; what stands in a variable is left alone, but for
    a padding that a name of the file stands for.

    only      in place of this literal and nothing else, as `repr` writes it
    computed  also in place of what is computed there: `len(x)`
    named     also where a constant of the file is given its number: `BATCH_SIZE = 32`
    """

    argument: Argument
    value: str
    only: str = ""
    computed: bool = False
    named: bool = False


class RenameArgument(NamedTuple):
    """Give a keyword argument another name; nothing if the call has one of that name."""

    argument: Argument
    name: str


class RemoveArgument(NamedTuple):
    """Take an argument out, with its comma; `only` where it is this literal."""

    argument: Argument
    only: str = ""


class RemoveSign(NamedTuple):
    """Take the minus off a number."""

    argument: Argument


class RaiseArgument(NamedTuple):
    """Make a number larger; what stands in a variable gets a `+ 1` if that is what is missing."""

    argument: Argument
    by: int


class RenameMethod(NamedTuple):
    """Call another method of the same object; `keywords` are arguments that have other names there, if given."""

    call: Span
    old: str
    new: str
    keywords: tuple[tuple[str, str], ...] = ()


class WrapArgument(NamedTuple):
    """Write `template` around an argument, which stands for its `{}`: `tf.cast({}, tf.float32)`.

    root    only in a call that begins with this name, which the template uses too: `tf.matmul(...)`
    needs   only where the file imports TensorFlow or Keras by this name, `tf` or `keras`, and in no call of fit() or
            its kin
    others  (template, needs) to be tried where it does not
    """

    argument: Argument
    template: str
    root: str = ""
    needs: str = ""
    others: tuple[tuple[str, str], ...] = ()


class PrecedeLayer(NamedTuple):
    """Call another layer of the same module first, where a layer is made where it is called:
    `layers.Conv2D(8, 3)(x)` becomes `layers.Conv2D(8, 3)(layers.Rescaling(1 / 255)(x))`.
    """

    argument: Argument
    layer: str


class WrapCall(NamedTuple):
    """Write `template` around a whole call."""

    call: Span
    template: str


class WrapAdded(NamedTuple):
    """Write `template` around what a statement `total += loss` adds."""

    there: Span
    template: str


class ItemOf(NamedTuple):
    """Take the number of a tensor of PyTorch: `loss.data[0]` becomes `loss.item()`."""

    there: Span


class WrapOperand(NamedTuple):
    """Write `template` around the operand at `place`, 0 or 1, of the operator or `a += b` that stands `there`."""

    there: Span
    place: int
    template: str
    needs: str


@record(frozen=True, slots=True)
class CallMethod:
    """Call a method of what is called with one argument: `model(x)` becomes `model.predict(x)`.

    without  (name, literal): keyword arguments that fall away where they are so
    """

    call: Span
    method: str
    without: tuple[tuple[str, str], ...] = ()


@record(frozen=True, slots=True)
class GuardCall:
    """Make a call only if its first argument, a plain name, has rows; `empty` is what stands for its result otherwise.

    Only where the file imports TensorFlow as `tf`.
    """

    call: Span
    empty: str


@record(frozen=True, slots=True)
class RenameAttribute:
    """Write other names in place of the last part of a dotted name and of what follows it.

    there  where the dotted name stands: `mixed_precision.experimental` of `mixed_precision.experimental.Policy`
    names  what may follow it -> what stands for both
    """

    there: Span
    names: tuple[tuple[str, str], ...]


@record(frozen=True, slots=True)
class MoveImport:
    """Import the package of what is imported in its place, under the same name: `from a.b import old as c` becomes
    `from a import b as c`, and what is read of it gets other names. Nothing if anything else is read of it.

    names  what may be read of it -> what that is called
    """

    there: Span
    names: tuple[tuple[str, str], ...]


Change = (SetArgument | RenameArgument | RemoveArgument | RemoveSign | RaiseArgument | WrapArgument | PrecedeLayer
          | WrapCall | RenameMethod | CallMethod | GuardCall | RenameAttribute | WrapAdded | WrapOperand | ItemOf
          | MoveImport)
"""What a rule, which sees no syntax, asks of the text of a call; `fix/` makes edits of it, or nothing."""


def call_of(change: Change) -> Span:
    """The call that a change speaks of, or the name or statement."""
    if isinstance(change, (RenameAttribute, WrapAdded, WrapOperand, ItemOf, MoveImport)):
        return change.there
    return change.call if isinstance(change, (WrapCall, RenameMethod, CallMethod, GuardCall)) else change.argument.call


@record(frozen=True, slots=True)
class Recipe:
    """A fix as data: its title, and what it changes.

    changes        as a rule names them
    edits          the same as text; the engine fills it in, and leaves out a fix whose changes find no place
    applicability  SAFE: it computes the same, or certainly failed before and can mean nothing else; UNSAFE: it changes
                   what a program computes that may have run, or is one of several remedies; DISPLAY: never applied
    """

    title: str
    edits: tuple[Edit, ...] = ()
    applicability: Applicability = Applicability.DISPLAY
    changes: tuple[Change, ...] = ()


@record(frozen=True, slots=True)
class Claim:
    """What a run could refute, as plain data: rebuild a layer with `arguments` on inputs of these shapes and expect a
    failure. `kind` is "layer", "function", "fit", "loss", "name", "batch", or "not-verifiable" with
    its reason as the only fact.
    """

    kind: str
    facts: tuple[tuple[str, Any], ...] = ()


@record(frozen=True, slots=True)
class Verification:
    """What came of putting a claim to the real library.

    verdict   "confirmed" (it fails as predicted), "refuted" (it ran), "different" (it fails in another way),
              "inconclusive" or "not verifiable", both with the reason as `note`
    backend   the library that was asked: "Keras 3.15.1 on TensorFlow 2.21.0"
    device    "CPU", or the GPU's name; "descriptors" of what cuDNN said without running anything
    versions  library -> version
    error     class and text of what was raised, or ""
    seconds   that the job took
    peak_bytes  most GPU memory in use at once
    note      the reason, or what stood in for what is not known
    """

    verdict: str
    backend: str = ""
    device: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    error: str = ""
    seconds: float | None = None
    peak_bytes: int | None = None
    note: str = ""


@record(frozen=True, slots=True)
class Finding:
    """A rule's verdict at `span`. `rule`, `code` and `level` are filled in by the engine.

    message      one line, lower case, no full stop, numbers from the user's code
    fails        on which stack and how: 'everywhere, when the model is built: ValueError "..."'
    help         the remedy
    trace        provenance, oldest first
    calls        the call path that led here, outermost first
    assumptions  defaults that the numbers rest on, as text
    also         other places that fail for the same reason, and that the same change mends
    """

    span: Span
    message: str
    fails: str = ""
    help: str = ""
    trace: tuple[Label, ...] = ()
    calls: tuple[Span, ...] = ()
    assumptions: tuple[str, ...] = ()
    fix: Recipe | None = None
    claim: Claim | None = None
    rule: str = ""
    code: str = ""
    level: Level = Level.ERROR
    verification: Verification | None = None
    also: tuple[Span, ...] = ()
