"""Data that is masked: rows that hold the masked number alone or begin with it, blocks that are folded into a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.records import record
from cudnnlint.rules.ancestry import PREFIX, behind, chain
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.constants import constant
from cudnnlint.values.tensor import matched, tensors
from cudnnlint.values.unknown import Counted

KEEPING = frozenset({f"numpy.{name}" for name in ("array", "asarray", "ascontiguousarray", "copy", "astype")}
                    | {f"tensorflow.{name}" for name in ("cast", "constant", "convert_to_tensor", "identity")})
"""Steps that keep all rows as they are."""
JOINING = ("numpy.concatenate", "numpy.vstack", "tensorflow.concat", "keras.ops.concatenate")
MOST = 4096
"""Steps of an array looked at."""
PADDING = ("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")


def emptied(x: Tensor, value: Any) -> Span | None:
    """Where a whole row got the masked number, `x[3] = 0`, `x[2, :] = 0`, and nothing was written to `x` since; or
    where a list without an element was padded, or rows of that number were joined to others."""
    for made, _ in chain(x):
        step = made.step
        if step is None:
            return None
        if step.maker == "item assignment" and step.arguments is not None:
            key, written = step.arguments[0]
            return step.span if _is_rows(key, made) and _is_number(written) and written == value else None
        if step.maker in PADDING and step.arguments is not None:
            given = step.arguments[0][0] if step.arguments[0] else step.arguments[1].get("sequences")
            return step.span if _has_empty(given) else None
        if step.maker in JOINING and _is_first_axis(step):
            held = (constant(part, step.span) for part in step.parents)
            return step.span if any(one is not None and one.low == value for one in held) else None
        if step.maker is not None and step.maker not in KEEPING:
            return None
    return None


def _is_first_axis(step: Step) -> bool:
    """Whether rows are joined to rows."""
    args, kwargs = step.arguments if step.arguments is not None else ((), {})
    return bool(kwargs.get("axis", args[1] if len(args) > 1 else 0) == 0)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_rows(key: Any, x: Tensor) -> bool:
    """Whether a key takes all of some row that is there: `x[3]`, `x[2, :]`, `x[4:6]`."""
    parts = key if isinstance(key, tuple) else (key,)
    rows = x.shape[0] if isinstance(x.shape, tuple) and x.shape else None
    rest = all(part == slice(None) or part is Ellipsis for part in parts[1:])
    if not parts or not rest or not isinstance(rows, int):
        return False
    first = parts[0]
    if isinstance(first, slice):
        ends = (first.start, first.stop, first.step)
        return all(end is None or isinstance(end, int) for end in ends) and len(range(*first.indices(rows))) > 0
    return isinstance(first, int) and not isinstance(first, bool) and -rows <= first < rows


def _has_empty(given: Any) -> bool:
    """Whether one of a list of lists has no element."""
    lists = getattr(given, "items", given)
    known = [getattr(one, "items", one) for one in lists if not getattr(one, "unknown", None)] \
        if isinstance(lists, list | tuple) else []
    return any(isinstance(items, list | tuple) and not items for items in known)


def is_filled_in(x: Tensor) -> bool:
    """Whether the data is an array of zeros to which parts were assigned."""
    makers = [made.step.maker for made, _ in chain(x) if made.step is not None]
    return bool(makers) and makers[-1] in ("numpy.zeros", "numpy.zeros_like")


def leaves_blocks(x: Tensor, blocks: int) -> bool:
    """Whether some row of an array of zeros may keep one of its blocks as it was: not where rows are written as a
    whole, `x[i] = row`, nor where each block of theirs is, `x[i, 0, :length] = ...` to the last."""
    written: set[int] = set()
    seen: set[int] = set()
    todo = [x]
    while todo and len(seen) < MOST:
        step = todo.pop().step
        if step is None or id(step) in seen:
            continue
        seen.add(id(step))
        if step.maker == "item assignment" and step.arguments is not None:
            key, value = step.arguments[0]
            block = key[1] if isinstance(key, tuple) and len(key) > 1 else slice(None)
            if block == slice(None) or block is Ellipsis:
                return isinstance(value, Tensor) and is_filled_in(value)
            if isinstance(block, Counted) and block.least == 0 and block.high == blocks:
                return False
            written |= {block % blocks} if isinstance(block, int) else set()
        todo += step.parents
    return len(written) < blocks


def is_written_behind(x: Tensor) -> bool:
    """Whether rows of the array are assigned to from some step on to the last one, `x[i, -len(row):] = row`: a step
    that differs from row to row, or a later one than the first."""
    for made, _ in chain(x):
        if made.step is None or made.step.maker != "item assignment" or made.step.arguments is None:
            continue
        key = made.step.arguments[0][0]
        part = key[1] if isinstance(key, tuple) and len(key) > 1 else None
        steps = made.shape[1] if isinstance(made.shape, tuple) and len(made.shape) > 1 else None
        return isinstance(part, slice) and part.stop is None and part.step is None and _is_later(part.start, steps)
    return False


def _is_later(start: object, steps: object) -> bool:
    if isinstance(start, int) and not isinstance(start, bool):
        return start > 0 or (isinstance(steps, int) and -steps < start < 0)
    return isinstance(start, Unknown)


def folded(x: Tensor) -> int:
    """The extent of the axis that went into the batch on the way of a masked tensor: (B, 6, 12, 4) -> (?, 12, 4)."""
    for made, layer in chain(x):
        parents = made.step.parents if made.step is not None else ()
        if layer is not None and layer.path != f"{PREFIX}Lambda":
            continue
        if not parents or not isinstance(made.shape, tuple) or not isinstance(parents[0].shape, tuple):
            return 0
        before = parents[0].shape
        if len(before) == len(made.shape) + 1 and before[2:] == made.shape[1:] and isinstance(before[1], int):
            return before[1]
    return 0


def unfolded(outputs: object, blocks: int) -> bool:
    """Whether they are put together again: (?, 8) -> (B, 6, 8)."""
    return any(len(inputs) == 1 and isinstance(inputs[0].shape, tuple) and isinstance(made.shape, tuple)
               and made.shape[1:] == (blocks, *inputs[0].shape[1:])
               for _, inputs, made in behind(outputs))


@record(frozen=True, slots=True)
class Padded:
    """A call of `pad_sequences`, the number that it pads with, and whether its rows were turned around since."""

    span: Span
    value: float
    turned: bool


def padded_in_front(x: Tensor) -> Padded | None:
    """The `pad_sequences` with its default padding that made the data, or one that pads behind whose rows were turned
    around, `padded[:, ::-1]`."""
    turned = False
    for made, _ in chain(x):
        step = made.step
        args, kwargs = step.arguments if step is not None and step.arguments is not None else ((), {})
        if step is not None and step.maker in PADDING:
            value = kwargs.get("value", args[5] if len(args) > 5 else 0.0)
            front = (args[3] if len(args) > 3 else kwargs.get("padding", "pre")) == ("post" if turned else "pre")
            return Padded(step.span, value, turned) if front and isinstance(value, int | float) else None
        turned ^= step is not None and _turns(step.maker, args, kwargs)
    return None


def _turns(maker: Any, args: Any, kwargs: Any) -> bool:
    """Whether a step gives the second axis from its end."""
    if maker == "operator.getitem":
        key = args[1] if len(args) > 1 else None
        return isinstance(key, tuple) and key[:2] == (slice(None), slice(None, None, -1))
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    return maker == "numpy.fliplr" or (maker in FLIPS and axis in (1, -1))


FLIPS = ("numpy.flip", "keras.ops.flip")


@record(frozen=True, slots=True)
class Rows:
    """What an input of a model is fed, as far as it matters to a mask.

    start   the step of the input; None where the model has no other
    given   what it is fed
    padded  how the rows were padded in front
    behind  they are written behind zeros
    empty   where a row was left without anything but zeros
    """

    start: Step | None
    given: Tensor
    padded: Padded | None
    behind: bool
    empty: Span | None


def fed_rows(inputs: Any, given: Any, asserts: bool) -> list[Rows]:
    """Of each input of a model that is fed rows which a mask may not suit; `asserts`: Keras looks at the masks."""
    fed, wanted = tensors(given), tensors(inputs)
    if len(fed) > 1:
        fed = matched(inputs, given)
        if len(fed) != len(wanted):
            return []
    found: list[Rows] = []
    for i, x in enumerate(fed):
        zeros = is_filled_in(x)
        rows = Rows(wanted[i].step if len(fed) > 1 else None, x, padded_in_front(x) if asserts else None,
                    asserts and zeros and is_written_behind(x), emptied(x, 0))
        if zeros or rows.padded or rows.empty:
            found.append(rows)
    return found


def rows_before(x: Tensor, fed: Sequence[Rows]) -> Rows | None:
    """What the input is fed that a tensor of the model comes from by one layer after another."""
    for rows in fed:
        if rows.start is None or any(made.step is rows.start for made, _ in chain(x)):
            return rows
    return None


__all__ = ["Padded", "Rows", "fed_rows", "folded", "leaves_blocks", "padded_in_front", "rows_before", "unfolded"]
