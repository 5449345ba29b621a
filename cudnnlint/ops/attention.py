"""Dot-product attention over [query, value, key]: Attention and AdditiveAttention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal
from cudnnlint.ops.flags import flag
from cudnnlint.ops.kernels.attention import scored
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.windows import refused_dtype
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Symbol, Tensor, Unknown, Where

KEY_OF_3_AXES = Where(keras=">=3,<3.15")
VALUE_WIDE = (3, 1, 1)
"""Until then compute_output_shape gave the query's shape (keras/src/layers/attention/attention.py)."""
SCORES_TRACED = (3, 8)
"""Until then a symbolic call gave the output alone, whatever return_attention_scores says (no compute_output_spec)."""


@record(frozen=True, slots=True)
class Attention:
    """(*, Tq, d), (*, Tv, e), (*, Tv, d) -> (*, Tq, e); with return_attention_scores also (*, Tq, Tv).

    keras/src/layers/attention/{attention,additive_attention}.py; tf_keras .../base_dense_attention.py. Keras 3
    builds from the shapes alone (compute_output_shape), so that operands which do not fit fail when it runs.
    """

    name: str
    use_scale: Any = False
    score_mode: Any = "dot"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        mode = self.score_mode
        if mode is None or (isinstance(mode, (str, int)) and mode not in ("dot", "concat", "additive")):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"score_mode is {mode}",
                           help='score_mode must be "dot" or "concat"',
                           error='ValueError "Invalid value for argument score_mode. Expected one of '
                                 '{\'dot\', \'concat\'}"', argument="score_mode")

    def infer(self, call: LayerCall) -> Outcome:
        parts = self._operands(call)
        if not isinstance(parts, tuple):
            return parts
        query, value, key = parts
        for each in parts:
            if wrong := refused_dtype(each, call, self.name):
                return wrong
        shapes = tuple(each.shape for each in parts)
        if any(isinstance(shape, Unknown) or len(shape) < 2 for shape in shapes):
            return Unknown("rank of the operands")
        if wrong := self._unsized(query, value, call):
            return wrong
        wrong = self._misfit(query, value, key) or self._scale_misfit(query, value, key, call) or \
            self._transposed(key, call)
        lazy = call.stack.keras >= (3,) and query.kind == "keras"
        if wrong is not None and not lazy:
            return wrong
        out = self._outputs(query, value, key, call, lazy)
        return out if wrong is None else replace(wrong, otherwise=out)

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        scaled = flag(self.use_scale)
        parts = self._operands(call)
        if not isinstance(parts, tuple) or scaled is None or isinstance(self.score_mode, Unknown):
            return Unknown("operands")
        if self.score_mode == "additive":
            shape = self._sized_by(parts[0], parts[1], call).shape
            if isinstance(shape, Unknown) or not shape:
                return Unknown("rank of the operands")
            return (Weight("scale", (shape[-1],)),) if scaled else ()
        scale = (Weight("scale", ()),) if scaled else ()
        return (*scale, Weight("concat_score_weight", ())) if self.score_mode == "concat" else scale

    def _operands(self, call: LayerCall) -> tuple[Tensor, Tensor, Tensor] | Unknown | Mismatch:
        inputs = call.inputs
        if isinstance(inputs, Tensor):
            return self._miscounted("one tensor")
        if not isinstance(inputs, (list, tuple)) or not all(isinstance(item, Tensor) for item in inputs):
            return Unknown("inputs are not a list of tensors")
        if len(inputs) not in (2, 3):
            return self._miscounted(f"{len(inputs)} tensors")
        return inputs[0], inputs[1], inputs[-1] if len(inputs) == 3 else inputs[1]

    def _miscounted(self, what: str) -> Mismatch:
        return Mismatch(Problem.INPUT_COUNT, f"{self.name} is called on {what}, not on [query, value] or "
                        "[query, value, key]", help="call it on a list: layer([query, value])",
                        error=f'ValueError "{self.name} layer must be called on a list of inputs, namely '
                              '[query, value] or [query, value, key]"')

    def _sized_by(self, query: Tensor, value: Tensor, call: LayerCall) -> Tensor:
        """The tensor whose last axis sizes AdditiveAttention's scale."""
        return query if call.stack.keras >= (3,) else value

    def _unsized(self, query: Tensor, value: Tensor, call: LayerCall) -> Mismatch | None:
        x = self._sized_by(query, value, call)
        if self.score_mode != "additive" or not flag(self.use_scale) or not isinstance(x.shape[-1], Symbol):  # type: ignore[index]
            return None
        return Mismatch(Problem.FEATURE_UNKNOWN, f"{self.name} needs the last axis of its input, which is None in {x}",
                        help="give the number of features in the input shape",
                        error='ValueError "Cannot convert \'(None,)\' to a shape"')

    def _scale_misfit(self, query: Tensor, value: Tensor, key: Tensor, call: LayerCall) -> Mismatch | None:
        """Keras 2's scale is as wide as the value, and multiplies what is as wide as query and key."""
        if self.score_mode != "additive" or not flag(self.use_scale) or call.stack.keras >= (3,):
            return None
        width = broadcast(query.shape[-1:], key.shape[-1:])  # type: ignore[index]
        if width is None or isinstance(width, Unknown) or broadcast(width, value.shape[-1:]) is not None:  # type: ignore[index]
            return None
        return Mismatch(Problem.CHANNELS, f"query and key have {width[0]} features, value has {value.shape[-1]}",  # type: ignore[index]
                        help="project all to the same width, or use_scale=False", where=Where(keras="<3"),
                        error='ValueError "Dimensions must be equal"', argument="use_scale")

    def _transposed(self, key: Tensor, call: LayerCall) -> Mismatch | None:
        """attention.py: _calculate_scores transposes by axes=[0, 2, 1] before Keras 3.15."""
        if self.score_mode != "dot" or key.rank == 3 or not KEY_OF_3_AXES.holds(call.stack):
            return None
        return Mismatch(Problem.RANK, f"{self.name} needs 3 axes, its key has {key.rank}: {key}",
                        help="give (batch, time, features), or use Keras 3.15 or newer", where=KEY_OF_3_AXES,
                        facts=(("expected", 3), ("actual", key.rank)),
                        error='InvalidArgumentError "transpose expects a vector of size 3"')

    def _misfit(self, query: Tensor, value: Tensor, key: Tensor) -> Mismatch | None:
        q, v, k = query.shape, value.shape, key.shape
        fits = may_equal(q[-1], k[-1])  # type: ignore[index]
        if self.score_mode != "dot":
            fits = fits or 1 in (q[-1], k[-1])  # type: ignore[index]
        if not fits:
            return Mismatch(Problem.CHANNELS, f"query has {q[-1]} features, {_key(value, key)} has {k[-1]}",  # type: ignore[index]
                            help="project both to the same width first", facts=(("axis", -1),),
                            error='InvalidArgumentError "Matrix size-incompatible" or ValueError')
        if not may_equal(v[-2], k[-2]):  # type: ignore[index]
            return Mismatch(Problem.MERGE, f"value has {v[-2]} time steps, key has {k[-2]}",  # type: ignore[index]
                            help="value and key must have the same length",
                            error='InvalidArgumentError "Matrix size-incompatible" or ValueError')
        if broadcast(q[:-2], k[:-2]) is None or broadcast(q[:-2], v[:-2]) is None:  # type: ignore[index]
            return Mismatch(Problem.BROADCAST, f"batch axes of query {query} and {_key(value, key)} {key}",
                            help="give both the same batch", error='InvalidArgumentError "Incompatible shapes"')
        return None

    def _outputs(self, query: Tensor, value: Tensor, key: Tensor, call: LayerCall, lazy: bool) -> Outcome:
        q, v, k = query.shape, value.shape, key.shape
        if isinstance(q, Unknown) or isinstance(v, Unknown) or isinstance(k, Unknown):
            return Unknown("rank of the operands")
        scores = q[:-2] if lazy else broadcast(q[:-2], k[:-2])
        lead = q[:-2] if lazy else None if scores is None else broadcast(scores, v[:-2])
        if scores is None or lead is None or isinstance(scores, Unknown) or isinstance(lead, Unknown):
            return Unknown("batch axes")
        width = q[-1] if lazy and call.stack.keras < VALUE_WIDE else v[-1]
        if width != v[-1]:
            return Unknown("Keras traces the width of the query and computes that of the value")
        out = query.with_(shape=(*lead, q[-2], width), dtype=call.policy.compute)
        asked = flag(call.kwargs.get("return_attention_scores", False))
        if asked is None:
            return Unknown("return_attention_scores")
        if not asked or (lazy and call.stack.keras < SCORES_TRACED):
            return out
        run = (*scores, q[-2], k[-2])
        traced = run if not lazy or call.stack.keras >= (3, 15) else (*q[:2], *k[1:2])
        return out, out.with_(shape=run if traced == run else Unknown("Keras traces other scores than it computes"))

    def lower(self, at: Site) -> Value:
        return scored(at, self.score_mode)


def _key(value: Tensor, key: Tensor) -> str:
    return "value" if key is value else "key"


@layer("keras.layers.Attention", versions={"causal": "<3"})
def attention(use_scale: Any = False, score_mode: Any = "dot", dropout: Any = 0.0, seed: Any = None, *,
              causal: Any = False) -> Attention:
    return Attention("Attention", use_scale, score_mode)


@layer("keras.layers.AdditiveAttention", versions={"score_mode": ">=3", "causal": "<3"})
def additive_attention(use_scale: Any = True, dropout: Any = 0.0, *, seed: Any = None, score_mode: Any = "dot",
                       causal: Any = False) -> Attention:
    return Attention("AdditiveAttention", use_scale, "additive")
