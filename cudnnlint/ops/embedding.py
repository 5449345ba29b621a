"""Look-up tables: Embedding and ReversibleEmbedding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arguments import check_positive
from cudnnlint.ops.arith import as_dim, is_known
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where, show
from cudnnlint.values.dim import Dim, may_equal


@record(frozen=True, slots=True)
class Embedding(SingleInput):
    """(...) of ids -> (..., output_dim); the table is (input_dim, output_dim).

    input_length is not held against the input: it only shapes the input of a Keras 2 Sequential.

    given    weights=, an array or a list of one
    initial  the array of an initializers.Constant
    """

    input_dim: Dim
    output_dim: Dim
    lora_rank: Any = None
    given: Any = None
    initial: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        table = (self.input_dim, self.output_dim)
        matrix = self.given[0] if isinstance(self.given, list) and len(self.given) == 1 else self.given
        if isinstance(matrix, Tensor) and isinstance(matrix.shape, tuple) and not (
                len(matrix.shape) == 2 and all(map(may_equal, table, matrix.shape))):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"weights is {matrix}, the table is {show(table)}", help=ROWS,
                           error='ValueError "weight shape ... is not compatible with provided weight shape"',
                           argument="weights", where=Where(keras=">=3.3"), otherwise=True)
        if isinstance(self.initial, Tensor) and isinstance(self.initial.shape, tuple) and not _fills(
                self.initial.shape, table):
            error = 'InvalidArgumentError "Incompatible shapes"' if stack.keras >= (3,) else \
                'TypeError "Eager execution of tf.constant with unsupported shape"'
            yield Mismatch(Problem.INVALID_ARGUMENT, f"embeddings_initializer is Constant of {self.initial}, the table "
                           f"is {show(table)}", help=ROWS, error=error, argument="embeddings_initializer")
        zero = Where(keras="<3|>=3.15")  # between, a table of nothing; a negative extent is no shape anywhere
        for name, value in (("input_dim", self.input_dim), ("output_dim", self.output_dim)):
            for wrong in check_positive(name, value, zero=zero):
                said = f"`{name}` must be a positive integer" if stack.keras >= (3, 15) else "should be positive"
                yield replace(wrong, error=f'ValueError "{said}"') if not (3,) <= stack.keras < (3, 15) else wrong

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, Unknown):
            return x.with_(dtype=call.policy.compute)
        width: Dim = Unknown("output_dim is negative") if _negative(self.output_dim) else self.output_dim
        return x.with_(shape=(*x.shape, width), dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if isinstance(self.lora_rank, Unknown):
            return self.lora_rank
        table = Weight("embeddings", (self.input_dim, self.output_dim), trainable=not self.lora_rank)
        if not self.lora_rank:
            return (table,)
        rank = as_dim(self.lora_rank)
        return (table, Weight("lora_embeddings_a", (self.input_dim, rank)),
                Weight("lora_embeddings_b", (rank, self.output_dim)))

    def lower(self, at: Site) -> Value:
        """Nothing of the rows is kept; their gradient is that of the rows alone (IndexedSlices)."""
        made = at.tape.run("rows", (at.weight("embeddings"), at.x), at.size())
        at.tape.apart[id(at.tape.kernels[-1])] = at.tape.times
        return made


@record(frozen=True, slots=True)
class ReversibleEmbedding(SingleInput):
    """An Embedding that maps back to logits when called with reverse=True: (..., output_dim) -> (..., input_dim)."""

    input_dim: Dim
    output_dim: Dim
    tie_weights: Any = True
    lora_rank: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return Embedding(self.input_dim, self.output_dim).check(stack)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        reverse = call.kwargs.get("reverse", call.args[0] if call.args else False)
        if isinstance(x.shape, Unknown) or isinstance(reverse, Unknown):
            return x.with_(shape=Unknown("reverse"), dtype=call.policy.compute)
        if not reverse:
            return Embedding(self.input_dim, self.output_dim).output(x, call)
        if not x.shape:
            return Unknown("a scalar has no feature axis")
        width: Dim = Unknown("input_dim is negative") if _negative(self.input_dim) else self.input_dim
        return x.with_(shape=(*x.shape[:-1], width), dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        table = Embedding(self.input_dim, self.output_dim, self.lora_rank).variables(x, call)
        if isinstance(self.tie_weights, Unknown) or isinstance(table, Unknown):
            return Unknown("tie_weights or lora_rank")
        return table if self.tie_weights else (
            *table, Weight("reverse_embeddings", (self.output_dim, self.input_dim)))


ROWS = "input_dim counts the rows of the matrix, with one for index 0; output_dim its columns"


def _fills(shape: Shape, table: Shape) -> bool:
    """Whether an array may be what all of the table is filled with: of its shape, or repeated
    (keras/src/initializers/constant_initializers.py: Constant.__call__ multiplies it with ones)."""
    return len(shape) <= 2 and all(have == 1 or may_equal(want, have)
                                   for want, have in zip(table[2 - len(shape):], shape, strict=True))


def _constant(initializer: Any) -> Any:
    """The array of `initializers.Constant(matrix)`."""
    if getattr(initializer, "path", "") not in CONSTANTS:
        return None
    return next(iter((*initializer.args, initializer.kwargs.get("value"))))


CONSTANTS = ("keras.initializers.Constant", "keras.initializers.constant")


def _negative(dim: Dim) -> bool:
    return is_known(dim) and dim < 0  # type: ignore[operator]


@layer("keras.layers.Embedding", versions={
    "activity_regularizer": "<3", "input_length": "<3|>=3.2", "sparse": ">=2.12,<3", "weights": ">=3.3",
    "lora_rank": ">=3.0.3", "lora_alpha": ">=3.10", "quantization_config": ">=3.13"})
def embedding(input_dim: Any, output_dim: Any, embeddings_initializer: Any = "uniform",
              embeddings_regularizer: Any = None, activity_regularizer: Any = None, embeddings_constraint: Any = None,
              mask_zero: Any = False, weights: Any = None, lora_rank: Any = None, lora_alpha: Any = None,
              quantization_config: Any = None, input_length: Any = None, sparse: Any = False) -> Embedding:
    return Embedding(as_dim(input_dim), as_dim(output_dim), lora_rank, weights, _constant(embeddings_initializer))


@layer("keras.layers.ReversibleEmbedding", versions={"": ">=3.12", "quantization_config": ">=3.13"})
def reversible_embedding(input_dim: Any, output_dim: Any, tie_weights: Any = True,
                         embeddings_initializer: Any = "uniform", embeddings_regularizer: Any = None,
                         embeddings_constraint: Any = None, mask_zero: Any = False, reverse_dtype: Any = None,
                         logit_soft_cap: Any = None, *, lora_rank: Any = None, lora_alpha: Any = None,
                         quantization_config: Any = None) -> ReversibleEmbedding:
    return ReversibleEmbedding(as_dim(input_dim), as_dim(output_dim), tie_weights, lora_rank)
