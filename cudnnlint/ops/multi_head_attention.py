"""Attention with projections of query, key and value: MultiHeadAttention and GroupQueryAttention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import as_dim, as_shape, is_known, may_equal
from cudnnlint.ops.attention_mask import unfitting_mask
from cudnnlint.ops.attention_scores import agreed, scores, scores_built, unlike_axis
from cudnnlint.ops.flags import flag
from cudnnlint.ops.kernels.attention import attended
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.windows import refused_dtype
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim


@record(frozen=True, slots=True)
class Heads:
    """query (B, *Tq, C), value (B, *Tv, Cv), key (B, *Tv, Ck) -> (B, *Tq, C), or *output_shape for C.

    Weights: query (C, N, key_dim), key (Ck, M, key_dim), value (Cv, M, value_dim), gate (C, N, value_dim), output
    (N, value_dim, *out), each with a bias over what it puts out; M = N but for grouped queries.
    keras/src/layers/attention/{multi_head,grouped_query}_attention.py; tf_keras/src/layers/attention/ likewise
    """

    name: str
    num_heads: Any
    key_dim: Any
    value_dim: Any = None
    groups: Any = None
    use_bias: Any = True
    use_gate: Any = False
    output_shape: Any = None
    attention_axes: Any = None

    @property
    def grouped(self) -> bool:
        return self.name == "GroupQueryAttention"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        names = ("num_query_heads", "head_dim") if self.grouped else ("num_heads", "key_dim")
        for name, value in zip(names, (self.num_heads, self.key_dim), strict=True):
            # zero heads made empty weights before Keras 3.15; 1 / sqrt(0) is a division in Python but for head_dim
            # until Keras 3.6 (grouped_query_attention.py: _compute_attention), where it gives NaN
            since = {"num_heads": ">=3.15", "head_dim": "<3|>=3.7"}.get(name, "")
            yield from _check_count(name, value, Where(keras=since))
        if self.grouped:
            yield from _check_count("num_key_value_heads", self.groups, Where())
            if is_known(self.num_heads) and is_known(self.groups) and self.groups > 0 and self.num_heads % self.groups:
                yield Mismatch(Problem.GROUPS, f"num_query_heads {self.num_heads} is not divisible by "
                               f"num_key_value_heads {self.groups}", argument="num_key_value_heads",
                               help="num_key_value_heads must divide num_query_heads",
                               error='ValueError "`num_query_heads` must be divisible by `num_key_value_heads`."')
        elif self.value_dim is not None:
            yield from _check_count("value_dim", self.value_dim, Where(keras=">=3.15"))

    def infer(self, call: LayerCall) -> Outcome:
        parts = self._operands(call)
        if not isinstance(parts, tuple):
            return parts
        query = parts[0]
        for part, what in zip(parts, ("query", "value", "key"), strict=True):
            if wrong := self._refused(part, what, call):
                return wrong
        if any(part.rank is None for part in parts):
            return query.with_(dtype=call.policy.compute, shape=Unknown("rank of the operands"))
        if wrong := self._misfit(*parts, call):
            return wrong
        out = self._outputs(*parts, call)
        wrong = self._incomparable(*parts, out) or self._unmasked(query, parts[2], call, out)
        if wrong is None:
            return out
        # Keras 3 compares query and key only when it runs
        return wrong if call.stack.keras >= (3,) and query.kind == "keras" else replace(wrong, otherwise=None)

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        parts = self._operands(call)
        if not isinstance(parts, tuple) or any(part.rank is None or part.rank == 0 for part in parts):
            return Unknown("rank of the operands")
        widths = tuple(part.shape[-1] for part in parts)  # type: ignore[index]
        bias, gate, out = flag(self.use_bias), flag(self.use_gate), self._out(widths[0])
        if bias is None or gate is None or isinstance(out, Unknown):
            return Unknown("use_bias" if bias is None else "use_gate" if gate is None else "output_shape")
        heads, key_dim, value_dim = as_dim(self.num_heads), as_dim(self.key_dim), self._value_dim()
        few = as_dim(self.groups) if self.grouped else heads
        made = [("query", (widths[0],), (heads, key_dim)), ("key", (widths[2],), (few, key_dim)),
                ("value", (widths[1],), (few, value_dim)), ("attention_output", (heads, value_dim), out)]
        if gate:
            made.insert(2, ("gate", (widths[0],), (heads, value_dim)))
        found: list[Weight] = []
        for name, ins, outs in made:
            found += [Weight(f"{name}/kernel", (*ins, *outs)), *([Weight(f"{name}/bias", outs)] if bias else [])]
        return tuple(found)

    def _value_dim(self) -> Dim:
        return as_dim(self.value_dim) if self.value_dim else as_dim(self.key_dim)

    def _out(self, width: Dim) -> Shape | Unknown:
        """What takes the place of the query's last axis."""
        if self.output_shape is None or self.output_shape in ((), [], 0):
            return (width,)
        return as_shape(self.output_shape)

    def _operands(self, call: LayerCall) -> tuple[Tensor, Tensor, Tensor] | Unknown | Mismatch:
        query = call.inputs if call.inputs is not None else call.kwargs.get("query")
        value = call.args[0] if call.args else call.kwargs.get("value")
        key = call.args[1] if len(call.args) > 1 else call.kwargs.get("key")
        if value is None and "value" not in call.kwargs and not call.args:
            what = "a list" if isinstance(query, (list, tuple)) else "query"
            return Mismatch(Problem.MISSING_ARGUMENT, f"{self.name} is called on {what} without value",
                            help="call it as layer(query, value), for self-attention layer(x, x)", argument="value",
                            error="TypeError \"missing a required argument: 'value'\" or \"missing 1 required "
                                  "positional argument: 'value'\"")
        key = value if key is None else key
        if not (isinstance(query, Tensor) and isinstance(value, Tensor) and isinstance(key, Tensor)):
            return Unknown("operands are not tensors")
        return query, value, key

    def _refused(self, x: Tensor, what: str, call: LayerCall) -> Mismatch | None:
        if wrong := refused_dtype(x, call, self.name):
            return wrong
        if isinstance(x.shape, tuple) and x.shape and isinstance(x.shape[-1], Symbol):
            return Mismatch(Problem.FEATURE_UNKNOWN, f"{self.name} needs the last axis of its {what}, None in {x}",
                            help="give the number of features in the input shape",
                            error='ValueError "Cannot convert \'(None, ...)\' to a shape"')
        return None

    def _misfit(self, query: Tensor, value: Tensor, key: Tensor, call: LayerCall) -> Mismatch | None:
        q, v, k = (x.shape if isinstance(x.shape, tuple) else () for x in (query, value, key))
        three = call.stack.keras >= (3,)
        strict = three and query.kind == "keras"
        if len(v) != len(k) or any(not _fit(a, b, strict) for a, b in zip(v[1:-1], k[1:-1], strict=True)):
            return Mismatch(Problem.MERGE, f"value {value} and key {key} differ before the last axis",
                            help="value and key must have the same length",
                            error='ValueError "All dimensions of `value` and `key`, except the last one, must be '
                                  'equal."')
        # compute_output_shape until 3.6, in 3.5 and 3.6 build too, the grouped one's until now
        narrow = (strict and (self.grouped or call.stack.keras < (3, 7))) or (3, 5) <= call.stack.keras < (3, 7)
        if narrow and q and v and not may_equal(q[-1], v[-1]):
            return Mismatch(Problem.CHANNELS, f"query has {q[-1]} features, value has {v[-1]}",
                            help="project value to the width of query, or use Keras 3.7 or newer",
                            error='ValueError "The last dimension of `query_shape` and `value_shape` must be equal"',
                            where=Where(keras=">=3" if self.grouped else ">=3,<3.7"))
        if strict and call.stack.keras < (3, 7) and self.output_shape and isinstance(self.output_shape, (int, list)):
            return Mismatch(Problem.INVALID_ARGUMENT, f"output_shape is {self.output_shape}, not a tuple",
                            help="give a tuple, or use Keras 3.7 or newer", argument="output_shape",
                            error='TypeError "can only concatenate tuple to tuple"', where=Where(keras=">=3,<3.7"))
        return None

    def _outputs(self, query: Tensor, value: Tensor, key: Tensor, call: LayerCall) -> Outcome:
        q = query.shape if isinstance(query.shape, tuple) else ()
        width = self._out(q[-1]) if q else Unknown("query is a scalar")
        if isinstance(width, Unknown):
            return width
        k = key.shape if isinstance(key.shape, tuple) else ()
        lazy = query.kind == "keras" and call.stack.keras >= (3,)
        whole = q if lazy else agreed(q, k, self.attention_axes)
        out = query.with_(shape=(*whole[:-1], *width), dtype=call.policy.compute)
        asked = flag(call.kwargs.get("return_attention_scores", False))
        if asked is None:
            return Unknown("return_attention_scores")
        # no compute_output_spec until then: its compute_output_shape gives the output alone
        if not asked or (lazy and call.stack.keras < ((3, 15) if self.grouped else (3, 3))):
            return out
        heads = as_dim(self.num_heads)
        shape = scores(whole, k, heads, self.attention_axes)
        if lazy and shape != scores_built(q, k, heads, self.grouped):
            shape = Unknown("Keras' build and its run give different attention scores")
        return out, out.with_(shape=shape)

    def _incomparable(self, query: Tensor, value: Tensor, key: Tensor, out: Outcome) -> Mismatch | None:
        """Ranks and extents for which the run has no scores."""
        for x, what in ((query, "query"), (value, "value")):
            wrong = x.rank != 3 if self.grouped else x.rank == 2 and self.attention_axes is None
            if wrong or x.rank != query.rank:
                needed = 3 if wrong or query.rank is None else query.rank
                return Mismatch(Problem.RANK, f"{self.name} needs {needed} axes, its {what} has {x.rank}: {x}",
                                help=f"{what} must be (batch, time, features)", facts=(
                                    ("expected", needed), ("actual", x.rank)), otherwise=out,
                                error="an error from einsum or softmax")
        q, k = query.shape, key.shape
        if isinstance(q, Unknown) or isinstance(k, Unknown):
            return None
        axis = unlike_axis(q, k, self.attention_axes)
        if axis is None:
            return None
        return Mismatch(Problem.BROADCAST, f"axis {axis} is {q[axis]} in query and {k[axis]} in key", otherwise=out,
                        help="axes that are not attended to must agree" if axis else "give both the same batch",
                        error='InvalidArgumentError "Incompatible shapes" or "Expected dimension"')

    def _unmasked(self, query: Tensor, key: Tensor, call: LayerCall, out: Outcome) -> Mismatch | None:
        if self.attention_axes is not None or not isinstance(query.shape, tuple) or not isinstance(key.shape, tuple):
            return None
        return unfitting_mask(call.kwargs.get("attention_mask"), query.shape, key.shape, as_dim(self.num_heads), out)

    def lower(self, at: Site) -> Value:
        return attended(at, self._value_dim())


def _fit(a: Dim, b: Dim, strict: bool) -> bool:
    """Equal extents; where `strict`, None equals None only."""
    if strict and not isinstance(a, Unknown) and not isinstance(b, Unknown):
        return a == b or (isinstance(a, Symbol) and isinstance(b, Symbol))
    return may_equal(a, b)


def _check_count(name: str, value: Any, zero: Where) -> Iterator[Mismatch]:
    if is_known(value) and value <= 0:
        yield Mismatch(Problem.NON_POSITIVE, f"{name} is {value}", help=f"{name} must be a positive integer",
                       error=f'ValueError "Received an invalid value for argument `{name}`, expected a positive '
                             f'integer. Received: {name}={value}"', argument=name,
                       where=zero if value == 0 else Where())


MULTI = {"sliding_window": ">=3.15", "flash_attention": ">=3.7", "use_gate": ">=3.14", "seed": ">=3.4",
         "softmax_robust_masking": "<3"}
GROUPED = {"": ">=3", "sliding_window": ">=3.15", "flash_attention": ">=3.7", "use_gate": ">=3.14", "seed": ">=3.7"}


@layer("keras.layers.MultiHeadAttention", versions=MULTI)
def multi_head_attention(
        num_heads: Any, key_dim: Any, value_dim: Any = None, dropout: Any = 0.0, use_bias: Any = True,
        output_shape: Any = None, attention_axes: Any = None, sliding_window: Any = None, flash_attention: Any = None,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, use_gate: Any = False, seed: Any = None,
        softmax_robust_masking: Any = False) -> Heads:
    return Heads("MultiHeadAttention", num_heads, key_dim, value_dim, None, use_bias, use_gate, output_shape,
                 attention_axes)


@layer("keras.layers.GroupQueryAttention", versions=GROUPED)
def group_query_attention(
        head_dim: Any, num_query_heads: Any, num_key_value_heads: Any, dropout: Any = 0.0, use_bias: Any = True,
        sliding_window: Any = None, flash_attention: Any = None, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None,
        use_gate: Any = False, seed: Any = None) -> Heads:
    return Heads("GroupQueryAttention", num_query_heads, head_dim, None, num_key_value_heads, use_bias, use_gate)
