"""Normalisation over the batch: BatchNormalization and SyncBatchNormalization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import is_known
from cudnnlint.ops.axes import free_axis, positions, repeated
from cudnnlint.ops.elementwise import number
from cudnnlint.ops.kernels.maths import cast, moments, normalized
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where

KERAS_2 = Where(keras="<3")
FUSABLE = (-4, -3, -1, 1, 3, 4)
"""tf_keras/src/layers/normalization/batch_normalization.py: _raise_if_fused_cannot_be_used"""


@record(frozen=True, slots=True)
class BatchNormalization(SingleInput):
    """Shape in, shape out; gamma, beta and the moving statistics have the extent of `axis`.

    fused  Keras 2 only: cuDNN's batch normalisation, chosen for 4 or 5 axes if None
    """

    axis: Any = -1
    epsilon: Any = 1e-3
    center: Any = True
    scale: Any = True
    renorm: Any = False
    synchronized: Any = False
    fused: Any = None
    virtual_batch_size: Any = None
    adjustment: Any = None

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if self.axis is None or (isinstance(self.axis, (str, float)) and stack.keras < (3,)):
            yield _wrong_axis(self.axis, "an integer or a list of integers", Where())
        elif isinstance(self.axis, (list, tuple)):
            yield _wrong_axis(self.axis, "an integer", Where(keras=">=3"))
        if self.fused is True and (reason := self._unfusable()):
            yield _unfused(reason)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        done = x.with_(dtype=call.policy.compute)
        places = positions(self.axis, x, "BatchNormalization")
        if isinstance(places, Unknown):
            return self._judged(done, call)
        if isinstance(places, Mismatch):
            return places
        wrong = (repeated(self.axis, places) if call.stack.keras < (3,) else None) or free_axis(
            places, x, "BatchNormalization")
        return wrong or self._unsupported(places, x, call) or self._judged(done, call)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        places = positions(self.axis, x, "BatchNormalization")
        if not isinstance(places, tuple) or isinstance(x.shape, Unknown):
            return Unknown("axis")
        for switch in (self.center, self.scale, self.renorm, self.virtual_batch_size):
            if isinstance(switch, Unknown):
                return switch
        shape = self._extent(places, x.shape)
        names = ["moving_mean", "moving_variance"]
        names += ["moving_stddev", "renorm_mean", "renorm_stddev"] if self.renorm else []
        own = [Weight(name, shape) for name, wanted in (("gamma", self.scale), ("beta", self.center)) if wanted]
        return (*own, *(Weight(name, shape, trainable=False) for name in names))

    def _extent(self, places: tuple[int, ...], shape: Shape) -> Shape:
        if len(places) == 1 and self.virtual_batch_size is None:
            return (shape[places[0]],)
        each = tuple(size if at in places else 1 for at, size in enumerate(shape))
        return each if self.virtual_batch_size is None else (each[0], 1, *each[1:])

    def _judged(self, done: Tensor, call: LayerCall) -> Outcome:
        """A negative epsilon: what it does depends on the stack, which a rule knows."""
        epsilon = number(self.epsilon)
        if epsilon is None or epsilon >= 0:
            return done
        return Mismatch(Problem.EPSILON, f"epsilon is {show(self.epsilon)}: the square root of variance + epsilon is "
                                         f"NaN where the variance is below {-epsilon:g}", otherwise=done,
                        argument="epsilon", help="epsilon must not be negative; the default is 0.001",
                        facts=(("epsilon", self.epsilon), ("fused", self._is_fused(done, call.stack)),
                               ("rank", done.rank)))

    def _is_fused(self, x: Tensor, stack: Stack) -> bool | None:
        """Whether cuDNN's batch normalisation would run on a GPU; None when not known."""
        if stack.keras >= (3,) or self.fused is False or (self.fused is None and self._unfusable()):
            return False
        if x.rank is None or isinstance(self.fused, Unknown):
            return None
        return x.rank in (4, 5)

    def _unfusable(self) -> str:
        axes = self.axis if isinstance(self.axis, (list, tuple)) else (self.axis,)
        if self.renorm and not isinstance(self.renorm, Unknown):
            return "renorm=True"
        if self.synchronized and not isinstance(self.synchronized, Unknown):
            return "synchronized=True"
        if len(axes) > 1 or (len(axes) == 1 and is_known(axes[0]) and axes[0] not in FUSABLE):
            return f"axis={show(self.axis)}"
        given = {"virtual_batch_size": self.virtual_batch_size, "adjustment": self.adjustment}
        return next((name for name, value in given.items() if value is not None and not isinstance(value, Unknown)), "")

    def _unsupported(self, places: tuple[int, ...], x: Tensor, call: LayerCall) -> Mismatch | None:
        """Keras 2's fused kernel takes 4 or 5 axes, and the channels first or last."""
        if call.stack.keras >= (3,) or isinstance(self.fused, Unknown) or self._unfusable():
            return None
        if self.fused is True and x.rank not in (4, 5):
            return _unfused(f"{x.rank} axes")
        tried = self.fused is True or (self.fused is None and call.policy.compute != "float64")
        if tried and x.rank == 4 and places not in ((1,), (3,)):
            return _unfused(f"axis={show(self.axis)} of 4 axes")
        return None

    def lower(self, at: Site) -> Value:
        """Keras 2 mostly has one fused kernel, Keras 3 the sum of its parts; both work in float32."""
        t, x = at.tape, at.x
        if at.stack.keras < (3,) and not self._unfusable() and len(at.shape()) in (4, 5):
            return t.run("kept", (x, *at.variables("gamma", "beta")), at.size())
        wide = cast(t, x, max(4, x.size.item))
        mean, variance = at.constant("moving_mean"), at.constant("moving_variance")
        if at.trains:
            mean, variance = moments(t, wide, mean.size)
        offset, factor = at.weights.get("beta"), at.weights.get("gamma")
        return cast(t, normalized(t, wide, mean, variance, offset, factor), at.item)


def _unfused(reason: str) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"fused batch normalisation does not work with {reason}", where=KERAS_2,
                    argument="fused", help="leave fused out",
                    error='ValueError "Passing `fused=True` is only supported when ..."')


def _wrong_axis(axis: Any, wanted: str, where: Where) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"axis is {show(axis)}, not {wanted}", argument="axis", where=where,
                    help=f"axis must be {wanted}", error='TypeError "int() argument must be a string, a bytes-like '
                                                         'object or a real number"')


@layer("keras.layers.BatchNormalization", versions={
    "renorm": "<3|>=3.14", "renorm_clipping": "<3|>=3.14", "renorm_momentum": "<3|>=3.14", "synchronized": ">=2.12",
    "fused": "<3", "virtual_batch_size": "<3", "adjustment": "<3"})
def batch_normalization(axis: Any = -1, momentum: Any = 0.99, epsilon: Any = 1e-3, center: Any = True,
                        scale: Any = True, beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
                        moving_mean_initializer: Any = "zeros", moving_variance_initializer: Any = "ones",
                        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                        gamma_constraint: Any = None, renorm: Any = False, renorm_clipping: Any = None,
                        renorm_momentum: Any = 0.99, synchronized: Any = False, *, fused: Any = None,
                        virtual_batch_size: Any = None, adjustment: Any = None) -> BatchNormalization:
    return BatchNormalization(axis, epsilon, center, scale, renorm, synchronized, fused, virtual_batch_size, adjustment)


@layer("keras.layers.experimental.SyncBatchNormalization", versions={"": "<3"})
def sync_batch_normalization(axis: Any = -1, momentum: Any = 0.99, epsilon: Any = 1e-3, center: Any = True,
                             scale: Any = True, beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
                             moving_mean_initializer: Any = "zeros", moving_variance_initializer: Any = "ones",
                             beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                             gamma_constraint: Any = None, *, renorm: Any = False, renorm_clipping: Any = None,
                             renorm_momentum: Any = 0.99, fused: Any = None,
                             virtual_batch_size: Any = None) -> BatchNormalization:
    return BatchNormalization(axis, epsilon, center, scale, renorm, True, fused, virtual_batch_size)
