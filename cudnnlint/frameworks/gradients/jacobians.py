"""GradientTape.jacobian and batch_jacobian: derivatives of each element by each element."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.registry import Call
from cudnnlint.values import Step, Tensor, Unknown


@FRAMEWORK.on("tensorflow.GradientTape.batch_jacobian")
def batch_jacobian(c: Call) -> Any:
    """(b, t...) by (b, s...) -> (b, t..., s...) (tensorflow/python/eager/backprop.py: GradientTape.batch_jacobian)."""
    target, source = strip(c.get(0, "target")), strip(c.get(1, "source"))
    if not _has_axes(target) or not _has_axes(source):
        return Unknown("a jacobian")
    return _derived(c, target, source, (*target.shape, *source.shape[1:]))


@FRAMEWORK.on("tensorflow.GradientTape.jacobian")
def jacobian(c: Call) -> Any:
    """(t...) by (s...) -> (t..., s...), in the structure of the sources (backprop.py: GradientTape.jacobian)."""
    target = strip(c.get(0, "target"))

    def by(source: Any) -> Any:
        if isinstance(source, list | tuple):
            return type(source)(map(by, source))
        known = isinstance(target, Tensor) and isinstance(target.shape, tuple) and isinstance(source, Tensor) \
            and isinstance(source.shape, tuple)
        return _derived(c, target, source, (*target.shape, *source.shape)) if known else Unknown("a jacobian")

    return wrap(by(strip(c.get(1, "sources"))))


def _has_axes(value: Any) -> bool:
    return isinstance(value, Tensor) and isinstance(value.shape, tuple) and bool(value.shape)


def _derived(c: Call, target: Tensor, source: Tensor, shape: tuple[Any, ...]) -> Tensor:
    return Tensor(shape, target.dtype, "tf", None, Step(c.span, (target, source)),
                  target.assumptions | source.assumptions)
