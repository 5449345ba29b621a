"""Modules and functions of PyTorch against the real ones: shape, dtype, weights, and whether they are accepted."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest

from cudnnlint.interp.binding import Bound, bind_spelling
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS, LayerCall
from cudnnlint.values import Mismatch, Stack, Tensor, Unknown

torch = pytest.importorskip("torch")
DRAWS = 60
Drawn = tuple[tuple[Any, ...], dict[str, Any], tuple[int, ...]]
"""Positional and keyword arguments, and the shape of the input."""


def each(rng: random.Random, low: int, high: int, rank: int) -> Any:
    """One number, or one for each axis."""
    if rng.random() < 0.5:
        return rng.randint(low, high)
    return tuple(rng.randint(low, high) for _ in range(rank))


def image(rng: random.Random, rank: int, channels: int, batched: bool = True) -> tuple[int, ...]:
    lead = (rng.randint(1, 3),) if batched else ()
    return (*lead, channels, *(rng.randint(1, 12) for _ in range(rank)))


def some(rng: random.Random, **options: Callable[[], Any]) -> dict[str, Any]:
    return {name: draw() for name, draw in options.items() if rng.random() < 0.4}


def convolution(rank: int) -> Callable[[random.Random], Drawn]:
    def draw(rng: random.Random) -> Drawn:
        groups = rng.choice((1, 1, 2, 3))
        inside, out = groups * rng.randint(1, 2), groups * rng.randint(1, 3)
        kwargs = some(rng, stride=lambda: each(rng, 1, 3, rank), dilation=lambda: each(rng, 1, 2, rank),
                      padding=lambda: rng.choice((each(rng, 0, 3, rank), "same", "valid")),
                      bias=lambda: rng.random() < 0.5)
        if groups > 1:
            kwargs["groups"] = groups
        if rng.random() < 0.1:
            out += 1
        channels = inside + (rng.random() < 0.15)
        return (inside, out, each(rng, 1, 5, rank)), kwargs, image(rng, rank, channels, rng.random() < 0.8)

    return draw


def transposed(rank: int) -> Callable[[random.Random], Drawn]:
    def draw(rng: random.Random) -> Drawn:
        kwargs = some(rng, stride=lambda: each(rng, 1, 3, rank), dilation=lambda: each(rng, 1, 2, rank),
                      padding=lambda: each(rng, 0, 2, rank), output_padding=lambda: each(rng, 0, 2, rank))
        inside = rng.randint(1, 3)
        return (inside, rng.randint(1, 3), each(rng, 1, 4, rank)), kwargs, image(rng, rank, inside + (
            rng.random() < 0.1), rng.random() < 0.8)

    return draw


def pooling(rank: int, maximum: bool) -> Callable[[random.Random], Drawn]:
    def draw(rng: random.Random) -> Drawn:
        kwargs = some(rng, stride=lambda: each(rng, 1, 3, rank), padding=lambda: each(rng, 0, 2, rank),
                      ceil_mode=lambda: rng.random() < 0.7)
        if maximum and rng.random() < 0.3:
            kwargs["dilation"] = each(rng, 1, 2, rank)
        return (each(rng, 1, 5, rank),), kwargs, image(rng, rank, 2, rng.random() < 0.8)

    return draw


def adaptive(rank: int) -> Callable[[random.Random], Drawn]:
    def draw(rng: random.Random) -> Drawn:
        size = rng.choice((rng.randint(1, 5), tuple(rng.choice((None, 1, 3)) for _ in range(rank))))
        return (size,), {}, image(rng, rng.choice((rank, rank, rank + 1)), 2, rng.random() < 0.8)

    return draw


def features(name: str) -> Callable[[random.Random], Drawn]:
    def draw(rng: random.Random) -> Drawn:
        width = rng.randint(1, 4)
        rank = rng.randint(0, 3)
        shape = (rng.randint(2, 3), width + (rng.random() < 0.2), *(rng.randint(1, 3) for _ in range(rank)))
        if name == "GroupNorm":
            return (rng.randint(1, 3), width), some(rng, affine=lambda: False), shape
        if name == "LayerNorm":
            wanted = rng.choice((width, [width], [2, width]))
            return (wanted,), some(rng, bias=lambda: False), (*shape[2:], 2, shape[1])
        return (width,), some(rng, affine=lambda: False), shape

    return draw


def linear(rng: random.Random) -> Drawn:
    width = rng.randint(1, 5)
    shape = tuple(rng.randint(1, 4) for _ in range(rng.randint(0, 3)))
    return (width, rng.randint(1, 5)), some(rng, bias=lambda: False), (*shape, width + (rng.random() < 0.2))


def flat(rng: random.Random) -> Drawn:
    return tuple(rng.randint(-3, 3) for _ in range(rng.randint(0, 2))), {}, image(rng, rng.randint(0, 3), 2)


def recurrent(rng: random.Random) -> Drawn:
    width = rng.randint(1, 4)
    kwargs = some(rng, num_layers=lambda: 2, batch_first=lambda: True, bidirectional=lambda: True, bias=lambda: False)
    shape = tuple(rng.randint(1, 4) for _ in range(rng.choice((1, 2, 2, 2, 3))))
    return (width, rng.randint(1, 3)), kwargs, (*shape, width + (rng.random() < 0.1))


def axis(rng: random.Random) -> Drawn:
    return (rng.randint(-4, 3),), {}, image(rng, rng.randint(0, 2), 2 * rng.randint(1, 2))


def plain(rng: random.Random) -> Drawn:
    return (), {}, image(rng, rng.randint(0, 2), 2)


def pads(rank: int) -> Callable[[random.Random], Drawn]:
    def draw(rng: random.Random) -> Drawn:
        width = rng.choice((rng.randint(-1, 3), tuple(rng.randint(-1, 3) for _ in range(2 * rank))))
        return (width,), {}, image(rng, rank, 2, rng.random() < 0.8)

    return draw


def upsampled(rng: random.Random) -> Drawn:
    rank = rng.randint(1, 3)
    how = rng.choice(({"size": each(rng, 1, 6, rank)}, {"scale_factor": rng.choice((2, 0.5, 1.7, 3))}))
    mode = rng.choice(("nearest", {1: "linear", 2: "bilinear", 3: "trilinear"}[rank]))
    return (), {**how, "mode": mode}, image(rng, rank, 2)


def shuffled(rng: random.Random) -> Drawn:
    return (rng.randint(1, 3),), {}, image(rng, 2, rng.choice((4, 8, 9)), rng.random() < 0.8)


def unfolded(rng: random.Random) -> Drawn:
    kwargs = some(rng, stride=lambda: each(rng, 1, 3, 2), padding=lambda: each(rng, 0, 2, 2),
                  dilation=lambda: each(rng, 1, 2, 2))
    return (each(rng, 1, 4, 2),), kwargs, image(rng, 2, 3, rng.random() < 0.8)


MODULES: dict[str, Callable[[random.Random], Drawn]] = {
    **{f"Conv{rank}d": convolution(rank) for rank in (1, 2, 3)},
    **{f"ConvTranspose{rank}d": transposed(rank) for rank in (1, 2, 3)},
    **{f"MaxPool{rank}d": pooling(rank, True) for rank in (1, 2, 3)},
    **{f"AvgPool{rank}d": pooling(rank, False) for rank in (1, 2, 3)},
    **{f"Adaptive{kind}Pool{rank}d": adaptive(rank) for rank in (1, 2, 3) for kind in ("Max", "Avg")},
    **{name: features(name) for name in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm",
                                         "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d")},
    "Linear": linear, "Flatten": flat, "RNN": recurrent, "LSTM": recurrent, "GRU": recurrent,
    "Softmax": axis, "LogSoftmax": axis, "GLU": axis,
    **{f"{kind}Pad{rank}d": pads(rank) for rank in (1, 2, 3) for kind in ("Zero", "Reflection", "Replication")},
    "Upsample": upsampled, "PixelShuffle": shuffled, "PixelUnshuffle": shuffled, "Unfold": unfolded,
    **dict.fromkeys(("ReLU", "Sigmoid", "GELU", "Identity", "Dropout", "LeakyReLU", "Tanh", "Softplus"), plain),
}


def real(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What PyTorch gives, or the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except Exception as error:
            return error


def shapes(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [shape for item in value for shape in shapes(item)]
    return [(tuple(value.shape), str(value.dtype).removeprefix("torch."))]


def ours(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [shape for item in value for shape in ours(item)]
    return [(value.shape, value.dtype)] if isinstance(value, Tensor) else [value]


UNJUDGED = re.compile("Bool|bool|multiple times|must be (?:tuple of ints|Tensor|int)|ZeroDivision|zero-dimensional|"
                      "Dimension out of range|only batches of spatial|multi-target|ignore_index is not")
"""Refusals that nothing is said of: dtypes that a kernel lacks, axes named twice, values."""


def whole(told: Any) -> bool:
    """Whether every extent is a number: an open one may stand for something that is refused."""
    return all(isinstance(one[0], tuple) and all(isinstance(extent, int) for extent in one[0])
               for one in ours(told) if isinstance(one, tuple))


def agree(told: Any, theirs: Any, where: str) -> None:
    """What we refuse PyTorch refuses, and what we know is what it gives."""
    if isinstance(theirs, Exception):
        if UNJUDGED.search(f"{type(theirs).__name__} {theirs}") or not whole(told):
            return
        assert isinstance(told, (Mismatch, Unknown)), f"{where}: {told}, PyTorch raises {theirs}"
        return
    assert not isinstance(told, Mismatch), f"{where}: {told}, PyTorch gives {shapes(theirs)}"
    if not isinstance(told, Unknown):
        assert len(ours(told)) == len(shapes(theirs)), where
        for (mine, dtype), (shape, real_dtype) in zip(ours(told), shapes(theirs), strict=True):
            assert isinstance(dtype, Unknown) or dtype == real_dtype, where
            assert isinstance(mine, Unknown) or len(mine) == len(shape), f"{where}: {mine}, PyTorch gives {shape}"
            assert isinstance(mine, Unknown) or all(isinstance(a, Unknown) or a == b for a, b in zip(
                mine, shape, strict=True)), f"{where}: {mine}, PyTorch gives {shape}"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_is_what_torch_makes_of_it(name: str) -> None:
    rng = random.Random(name)
    accepted = 0
    for _ in range(DRAWS):
        args, kwargs, shape = MODULES[name](rng)
        where = f"{name}{args} {kwargs} on {shape}"
        bound = bind_spelling(LAYERS[f"torch.nn.{name}"], args, kwargs, Stack())
        assert isinstance(bound, Bound)
        assert not bound.problems, where
        op = LAYERS[f"torch.nn.{name}"].builder(**bound.arguments)
        module = real(getattr(torch.nn, name), *args, **kwargs)
        refused = list(op.check(Stack()))
        if isinstance(module, Exception):
            assert refused, f"{where}: PyTorch raises {module}"
            continue
        assert not refused, where
        theirs = real(module, torch.zeros(shape))
        agree(op.infer(LayerCall(Tensor(shape, "float32", "torch"))), theirs, where)
        accepted += not isinstance(theirs, Exception)
        weights = op.weights(LayerCall(Unknown()))
        assert isinstance(weights, tuple)
        assert sorted((one.name, one.shape) for one in weights) == sorted(
            (key, tuple(value.shape)) for key, value in module.named_parameters()), where
    assert accepted > DRAWS // 8, f"hardly any draw of {name} is accepted"


def shape_of(rng: random.Random, most: int = 4) -> tuple[int, ...]:
    return tuple(rng.choice((1, 2, 3, 4, 6)) for _ in range(rng.randint(0, most)))


def with_axis(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (torch.zeros(shape_of(rng)), rng.randint(-4, 3)), {}


def of_any(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    dtype = rng.choice((torch.float32, torch.int64, torch.uint8, torch.bool, torch.float64))
    return (torch.zeros(shape_of(rng), dtype=dtype),), {}


def folded(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    (x,), _ = of_any(rng)
    dims = rng.choice((rng.randint(-3, 2), (0, -1)))
    return (x,), rng.choice(({}, {"dim": dims}, {"dim": dims, "keepdim": True}))


def along(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    (x,), _ = of_any(rng)
    return (x,), rng.choice(({}, {"dim": rng.randint(-3, 2)}, {"dim": 0, "keepdim": True}))


def two(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    (x,), _ = of_any(rng)
    (y,), _ = of_any(rng)
    if rng.random() < 0.6:
        y = torch.zeros(x.shape[rng.randint(0, len(x.shape)):], dtype=y.dtype)
    return (x, rng.choice((y, y, 2, 1.5))), {}


def factors(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    inner = rng.randint(1, 3)
    a = (*shape_of(rng, 2), inner)
    b = (*shape_of(rng, 1), inner + (rng.random() < 0.2), rng.randint(1, 3))
    return (torch.zeros(a), torch.zeros(b)), {}


def matrices(rank: int) -> Callable[[random.Random], tuple[tuple[Any, ...], dict[str, Any]]]:
    def draw(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
        lead = (2,) * (rank - 2)
        inner = rng.randint(1, 3)
        right = (*((3,) if rng.random() < 0.2 else (2,)) * (rank - 2), inner + (rng.random() < 0.2), 3)
        return (torch.zeros((*lead, 2, inner)), torch.zeros(right)), {}

    return draw


def joined(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    shape = shape_of(rng, 3)
    parts = []
    for _ in range(rng.randint(1, 3)):
        part = list(shape)
        if part and rng.random() < 0.5:
            part[rng.randrange(len(part))] += 1
        parts.append(torch.zeros(part, dtype=rng.choice((torch.float32, torch.float32, torch.int64))))
    return (parts,), rng.choice(({}, {"dim": rng.randint(-3, 2)}))


def taken_apart(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (torch.zeros((*shape_of(rng, 2), 6)), rng.choice((1, 2, 4, 5))), rng.choice(({}, {"dim": -1}))


def split_up(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (torch.zeros((6, 4)), rng.choice((1, 2, 4, [2, 4], [3, 2]))), rng.choice(({}, {"dim": 1}))


def reshaped(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    target = [rng.choice((-1, 1, 2, 3, 4, 6, 12)) for _ in range(rng.randint(1, 3))]
    return (torch.zeros(shape_of(rng)), target), {}


def ordered(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    shape = shape_of(rng)
    order = list(range(len(shape)))
    rng.shuffle(order)
    return (torch.zeros(shape), [*order, *([0] if rng.random() < 0.1 else [])]), {}


def two_axes(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (torch.zeros(shape_of(rng)), rng.randint(-3, 2), rng.randint(-3, 2)), {}


def enlarged(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    shape = shape_of(rng, 3)
    lead = [2] * rng.randint(0, 1)
    return (torch.zeros(shape), [*lead, *(rng.choice((-1, dim, dim, 5)) for dim in shape)]), {}


def chosen(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    shape = shape_of(rng, 3)
    other = rng.choice((torch.zeros(()), torch.ones(shape)))
    return (torch.zeros(shape, dtype=torch.bool), torch.zeros(shape), other), {}


def classified(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    rows, classes = rng.randint(1, 4), rng.randint(2, 4)
    place = tuple(rng.randint(1, 2) for _ in range(rng.choice((0, 0, 2))))
    shape = rng.choice(((rows, *place), (rows, *place), (rows, 1, *place), (rows, classes, *place), (rows + 1, *place)))
    dtype = rng.choice((torch.int64, torch.int64, torch.float32, torch.int32))
    target = torch.randint(0, classes + rng.choice((0, 0, 1)), shape, generator=torch.Generator().manual_seed(0))
    kwargs = rng.choice(({}, {"reduction": "sum"}, {"reduction": "none"}, {"ignore_index": classes}))
    return (torch.zeros((rows, classes, *place)), target.to(dtype)), kwargs


def compared(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    rows = rng.randint(1, 3)
    shapes_ = ((rows,), (rows, 1), (rows, 2), (rows, 2))
    kwargs = rng.choice(({}, {"reduction": "none"}))
    return (torch.full(rng.choice(shapes_), 0.5), torch.ones(rng.choice(shapes_))), kwargs


def picked(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    shape = shape_of(rng, 3)
    return (torch.zeros(shape), rng.randint(-3, 2), torch.zeros(rng.randint(1, 3), dtype=torch.int64)), {}


def cut(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (torch.zeros((4, 5, 6)), rng.randint(-3, 2), 0, rng.randint(0, 4)), {}


def repeated(rng: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (torch.zeros(shape_of(rng, 3)), rng.randint(1, 3)), {"dim": rng.randint(-3, 2)}


CALLS: dict[str, Callable[[random.Random], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    **dict.fromkeys(("squeeze", "unsqueeze", "softmax", "unbind", "cumsum"), with_axis),
    **dict.fromkeys(("exp", "sqrt", "sigmoid", "abs", "isnan", "ravel", "flatten", "t", "logical_not", "sign"), of_any),
    **dict.fromkeys(("sum", "mean", "std", "prod", "amax", "all"), folded),
    **dict.fromkeys(("max", "min", "argmax"), along),
    **dict.fromkeys(("add", "mul", "div", "sub", "eq", "floor_divide", "maximum", "pow"), two),
    "matmul": factors, "mm": matrices(2), "bmm": matrices(3), "cat": joined, "stack": joined, "chunk": taken_apart,
    "split": split_up, "reshape": reshaped, "permute": ordered, "transpose": two_axes, "broadcast_to": enlarged,
    "nn.functional.cross_entropy": classified, "nn.functional.nll_loss": classified,
    "nn.functional.mse_loss": compared, "nn.functional.binary_cross_entropy": compared,
    "nn.functional.binary_cross_entropy_with_logits": compared, "nn.functional.l1_loss": compared,
    "index_select": picked, "narrow": cut, "repeat_interleave": repeated,
    "where": chosen, "movedim": two_axes,
}


def nested(value: Any) -> Any:
    return tuple(map(nested, value)) if isinstance(value, list) else value


def plain_value(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        content = nested(value.tolist()) if value.dtype == torch.int64 and value.numel() < 64 else None
        return Tensor(tuple(value.shape), str(value.dtype).removeprefix("torch."), "torch", content)
    return [plain_value(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_function_gives_what_torch_gives(name: str) -> None:
    rng = random.Random(name)
    known = 0
    for _ in range(4 * DRAWS):
        args, kwargs = CALLS[name](rng)
        mine = [plain_value(arg) for arg in args]
        where = f"{name}({', '.join(map(str, mine))}, {kwargs})"
        bound = bind_spelling(FUNCTIONS[f"torch.{name}"], mine, kwargs, Stack())
        assert isinstance(bound, Bound)
        assert not bound.problems, where
        told = FUNCTIONS[f"torch.{name}"].builder(**bound.arguments)
        agree(told, real(attrgetter(name)(torch), *args, **kwargs), where)
        known += not isinstance(told, Unknown)
    assert known > DRAWS // 2, f"hardly anything of {name} is known"
