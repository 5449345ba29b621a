"""What the merge layers share: their list of inputs, the result's dtype, and the words for a mismatch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cudnnlint.ops.protocol import LayerCall, Policy
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where, is_floating
from cudnnlint.values.tensor import DType

CROPPING = {3: "Cropping1D", 4: "Cropping2D", 5: "Cropping3D"}


def listed(inputs: Any, name: str) -> tuple[Tensor, ...] | Unknown | Mismatch:
    """The tensors of a list; what is not known counts as a tensor of unknown shape."""
    if isinstance(inputs, Tensor):
        said = f"A `{name}` layer should be called on a list of" if name in ("Concatenate", "Dot") else \
            "A merge layer should be called on a list of inputs"
        return Mismatch(Problem.INPUT_COUNT, f"{name} needs a list of tensors, received one tensor: {inputs}",
                        help=f"pass a list: {name}()([a, b])", error=f'ValueError "{said}"')
    if not isinstance(inputs, (list, tuple)):
        return inputs if isinstance(inputs, Unknown) else Unknown("inputs are not a list")
    if not inputs:
        return Mismatch(Problem.INPUT_COUNT, f"{name} of an empty list", error="IndexError or TypeError",
                        help=f"{name} needs at least one tensor")
    if not all(isinstance(item, Tensor | Unknown) for item in inputs):
        return Unknown("inputs are not tensors")
    return tuple(item if isinstance(item, Tensor) else Tensor(item, item) for item in inputs)


def merged_dtype(items: Sequence[Tensor], call: LayerCall, name: str) -> DType | Mismatch:
    """Floats arrive in the compute dtype; Keras 2 neither casts integers nor mixes them with floats."""
    floating = [is_floating(item.dtype) for item in items]
    if all(floating):
        return call.policy.compute
    if call.stack.keras >= (3,):
        if any(item.kind == "keras" for item in items):
            return call.policy.compute
        dtypes = {str(item.dtype) for item in items}  # integers that come with a call are not cast
        alike = len(dtypes) == 1 and dtypes <= {"int32", "int64"} and name not in ("Average", "Dot")
        return dtypes.pop() if alike else Unknown("integer inputs")
    known = {str(item.dtype) for item in items if not isinstance(item.dtype, Unknown)}
    if len(known) == 1 and None not in floating:
        return known.pop()
    if len(known) > 1:
        return Mismatch(Problem.DTYPE, f"{name} of {' and '.join(map(str, items))}: the dtypes differ",
                        help='cast one of them: tf.cast(x, "float32")', where=Where(keras="<3"),
                        error='TypeError "Input \'y\' has type that does not match type of argument \'x\'"',
                        facts=(("dtypes", tuple(sorted(known))),))
    return Unknown("input dtype")


def applied(op: Any, inputs: Any) -> Any:
    """`keras.layers.add(inputs)`: the layer's outcome, its policy read off the inputs' float dtype."""
    items = [item for item in inputs if isinstance(item, Tensor)] if isinstance(inputs, (list, tuple)) else []
    floats = {str(item.dtype) for item in items if is_floating(item.dtype)}
    policy = Policy(floats.pop()) if len(floats) == 1 else Policy()
    done = op.infer(LayerCall(inputs, policy=policy, stack=Stack()))
    return done.with_(dtype=Unknown("dtype policy")) if floats and isinstance(done, Tensor) else done


def differing(a: Shape, b: Shape) -> Iterator[tuple[int, int, int]]:
    """(axis, extent, extent) for axes that are certainly different; counted from the last if the ranks differ.

    >>> list(differing((2, 8, 3), (2, 7, 3))), list(differing((5, 3), (3,)))
    ([(1, 8, 7)], [])
    """
    offset = 0 if len(a) == len(b) else -min(len(a), len(b))
    width = min(len(a), len(b))
    for at, (m, n) in enumerate(zip(a[len(a) - width:], b[len(b) - width:], strict=True)):
        if isinstance(m, int) and isinstance(n, int) and m != n:
            yield at + offset, m, n


def told(axes: Sequence[tuple[int, int, int]]) -> str:
    """
    >>> told([(1, 32, 31), (2, 32, 31)])
    '32 and 31 on axis 1, 32 and 31 on axis 2'
    """
    return ", ".join(f"{m} and {n} on axis {axis}" for axis, m, n in axes)


def remedy(a: Tensor, b: Tensor, axes: Sequence[tuple[int, int, int]], *, joined: bool) -> str:
    """How to make two tensors of equal rank fit: crop what upsampling made too large, or project the channels."""
    rank = a.rank or 0
    if a.rank != b.rank or not axes:
        return ""
    if rank in CROPPING and all(0 < axis < rank - 1 and abs(m - n) < min(m, n) // 2 for axis, m, n in axes):
        larger = {axis: m - n for axis, m, n in axes}
        if all(gap > 0 for gap in larger.values()) or all(gap < 0 for gap in larger.values()):
            return _cropped([abs(larger.get(axis, 0)) for axis in range(1, rank - 1)], rank)
    if not joined and [axis for axis, _, _ in axes] == [rank - 1] and rank in (3, 4, 5):
        return f"project one to the other's channels: Conv{rank - 2}D({axes[0][1]}, 1); or use Concatenate"
    return strided(axes, rank, joined=joined)


def strided(axes: Sequence[tuple[int, int, int]], rank: int, *, joined: bool = False) -> str:
    """What to do where one of two feature maps is smaller than the other by a factor; "" where it is not that.

    >>> strided([(1, 32, 16), (2, 32, 16)], 4)
    'one of them was strided or pooled by 2, the other one was not: bring both to one size'
    """
    times = _strided(axes, rank) if rank in CROPPING else 0
    also = "" if joined or not axes or axes[-1][0] != rank - 1 else ", and one to the other's channels"
    return f"one of them was strided or pooled by {times}, the other one was not: bring both to one size{also}" \
        if times else ""


def _cropped(gaps: Sequence[int], rank: int) -> str:
    """Rows are lost one at a time by halving odd extents, and evenly on both sides by windows with padding "valid"."""
    crop = ", ".join(f"({gap // 2}, {gap - gap // 2})" for gap in gaps)
    layer = f"{CROPPING[rank]}(({crop}))" if rank > 3 else f"{CROPPING[rank]}({crop})"
    kept = 'give the convolutions on the way padding="same", and ' if max(gaps) > 1 else ""
    why = "" if max(gaps) > 1 else ": an odd extent loses a row when it is halved and doubled again"
    return f"crop the larger one with {layer}, or {kept}start from extents that every halving divides{why}"


def _strided(axes: Sequence[tuple[int, int, int]], rank: int) -> int:
    """By which factor one of two tensors is smaller along all of its axes of space; 0 if by none."""
    space = [(m, n) for axis, m, n in axes if 0 < axis < rank - 1]
    if not space or any(min(pair) < 1 for pair in space):
        return 0
    larger = 0 if space[0][0] > space[0][1] else 1
    factors = {-(-pair[larger] // pair[1 - larger]) for pair in space}
    exact = all(-(-pair[larger] // max(factors)) == pair[1 - larger] for pair in space)
    return factors.pop() if len(factors) == 1 and exact and min(factors) > 1 else 0


def extent(a: Dim, b: Dim) -> Dim:
    """Two extents that are equal: a number if either is one, unknown before free."""
    if isinstance(a, int) or isinstance(b, int):
        return a if isinstance(a, int) else b
    return a if isinstance(a, Unknown) else b if isinstance(b, Unknown) else a
