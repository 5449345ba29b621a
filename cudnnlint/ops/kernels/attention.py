"""Attention as the operations that it runs: the scores of every query and key are kept, and with dropout twice more.

keras/src/layers/attention/multi_head_attention.py: _compute_attention; keras/src/backend/tensorflow/numpy.py: einsum
"""

from __future__ import annotations

from math import prod
from typing import Any

from cudnnlint.ops.kernels.activations import softmax
from cudnnlint.ops.kernels.maths import (
    bias,
    cast,
    contract,
    copy,
    dropout,
    matmul,
    multiply,
    scale,
    shape_of,
    transposed,
    unary,
    view,
    waiting,
)
from cudnnlint.ops.kernels.products import multiplied
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import NotSized, Size, Tape, Value
from cudnnlint.values.tensor import tensors

PROJECTED = "abc,cde->abde"
"""The product with a kernel of query, key and value; that of the output is another of its kind."""


def _number(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise NotSized(f"{what} that is not known")
    return value


def _operands(at: Site) -> tuple[Value, Value, Value]:
    """query, value, key."""
    if not 1 <= len(at.values) <= 4:
        raise NotSized("operands that are not known")
    query, value = at.values[0], at.values[1] if len(at.values) > 1 else at.values[0]
    return query, value, at.values[2] if len(at.values) == 3 else value


def attended(at: Site, value_dim: Any) -> Value:
    """Multi-head attention: projections, scores, and what they make of the values."""
    t = at.tape
    query, value, key = _operands(at)
    shapes = [at.shape(place) for place in (0, min(1, len(at.values) - 1))]
    heads = _number(at.given("num_heads", at.given("num_query_heads")), "num_heads")
    width = _number(at.given("key_dim", at.given("head_dim")), "key_dim")
    if at.given("use_gate", False):
        raise NotSized("gated attention")
    rows = [prod(_number(dim, "an open extent") for dim in shape[1:-1]) for shape in shapes]
    q = _projected(at, query, "query", (shapes[0][0], rows[0], heads, width))
    k = _projected(at, key, "key", (shapes[1][0], rows[1], heads, width))
    v = _projected(at, value, "value", (shapes[1][0], rows[1], heads, _number(value_dim, "value_dim")))
    size = t.size((shapes[0][0], heads, rows[0], rows[1]), at.item)
    out = t.size((shapes[0][0], rows[0], heads, _number(value_dim, "value_dim")), at.item)
    made = (_dropped if at.given("dropout", 0) else _plain)(at, q, k, v, size, out)
    made = contract(t, view(t, made), _of_stack(at, at.weight("attention_output/kernel")), at.size())
    b = at.maybe("attention_output/bias")
    return bias(t, view(t, made), b) if b is not None else view(t, made)


def _projected(at: Site, x: Value, name: str, shape: tuple[Any, ...]) -> Value:
    product = contract(at.tape, x, _of_stack(at, at.weight(f"{name}/kernel")), at.tape.size(shape, at.item))
    at.tape.parts[product.index] = f"{name}/"
    made = view(at.tape, product)
    b = at.maybe(f"{name}/bias")
    return bias(at.tape, made, b) if b is not None else made


def _of_stack(at: Site, kernel: Value) -> Value:
    """Of more axes than those of queries and features, and where more than the last one is put out, the product is
    another one."""
    is_plain = len(at.shape()) == 3 and tensors(at.outputs)[0].rank == 3
    return multiplied(at, kernel, PROJECTED) if is_plain else kernel


def _dropped(at: Site, q: Value, k: Value, v: Value, size: Size, out: Size) -> Value:
    """With dropout the operands are transposed, and transposed they are kept; half precision stays so."""
    t = at.tape
    scores = contract(t, copy(t, k), copy(t, scale(t, q)), size)
    weighed = softmax(t, scores)
    weighed = dropout(t, weighed) if at.training else weighed
    return copy(t, contract(t, weighed, copy(t, v), out))


def _plain(at: Site, q: Value, k: Value, v: Value, size: Size, out: Size) -> Value:
    """ops.dot_product_attention: softmax in float32 (keras/src/backend/tensorflow/nn.py). With a mask the scores are
    scaled before, and a byte of each is kept, which layers with the same mask share if the graph knows the batch: else
    each makes ones of its own shape (_apply_masks)."""
    t, wide = at.tape, max(4, at.item)
    scores = cast(t, contract(t, q, k, size), wide)
    if at.masked:
        mask = waiting(t, t.run("marks" if t.open else "mask", (), scores.size.of(1)), shape_of(t, scores))
        return contract(t, cast(t, softmax(t, _hidden(t, mask, scale(t, scores))), at.item), v, out)
    if not t.ahead:
        return contract(t, cast(t, softmax(t, scale(t, scores)), at.item), v, out)
    y = t.run("scaled_softmax", (scores,), scores.size, reuse=True)
    weighed = t.run("scaled", (y, scale(t, y)), y.size, view=True)
    return contract(t, cast(t, weighed, at.item), v, out)


def _hidden(t: Tape, mask: Value, scores: Value) -> Value:
    """Scores where the mask allows them."""
    return t.run("select", (mask, scores), scores.size, reuse=True)


def scored(at: Site, mode: Any) -> Value:
    """Attention and AdditiveAttention: an additive score has a tensor of queries x keys x features."""
    t = at.tape
    query, value, key = _operands(at)
    q, k = at.shape(0), at.shape(1)
    size = t.size((q[0], *q[1:-1], *k[-2:-1]), at.item)
    if mode == "dot":
        scores = matmul(t, query, transposed(t, key, key.size), size)
    elif mode in ("additive", "concat"):
        wide = t.size((q[0], *q[1:-1], *k[-2:-1], q[-1]), at.item)
        sums = unary(t, "tanh", t.run("add", (query, key), wide))
        scale_by = at.maybe("scale")
        scores = t.run("sum", (multiply(t, scale_by, sums) if scale_by is not None else sums,), size)
    else:
        raise NotSized("a score that is not known")
    weighed = softmax(t, scores)
    if at.given("dropout", 0) and at.training:
        weighed = dropout(t, weighed)
    return contract(t, weighed, value, at.size())
