"""What a generator yields against what Dataset.from_generator() is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import GeneratorV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, show
from cudnnlint.values.dim import is_known


def uncallable(generator: Any) -> Mismatch | None:
    """What from_generator() cannot call anew for each pass (tensorflow/python/data/ops/from_generator_op.py)."""
    given = plain(generator)
    if not isinstance(given, GeneratorV | list | tuple | Tensor):
        return None
    word = "generator, which was called already" if isinstance(given, GeneratorV) else \
        "tensor or array" if isinstance(given, Tensor) else type(given).__name__
    return Mismatch(Problem.UNEXPECTED, f"from_generator() is given a {word}, not a function",
                    help="the name of the function without (), or lambda: ... around the call"
                    if isinstance(given, GeneratorV) else "from_tensor_slices() for data at hand",
                    error='TypeError "`generator` must be a Python callable."')


def tell_of_yielded(c: Call, declared: Any, seen: Any) -> bool:
    """tensorflow/python/data/ops/from_generator_op.py: generator_py_func. `seen` is what all elements agree on."""
    m = c.machine
    wrong = next(_unlike(declared, seen), None)
    if wrong is None or m.trying or m.handlers:
        return False
    wanted, given = wrong
    return refuse(m, c.span, Mismatch(
        Problem.FED, f"the generator yields {show(given.shape)}, its signature declares {show(wanted.shape)}",
        help="yield image[..., None]" if wanted.rank == (given.rank or 0) + 1 and wanted.shape[-1:] == (1,)  # type: ignore[index]
        else f"tf.TensorSpec({show(given.shape)}, ...)",
        error='TypeError "`generator` yielded an element of shape ... where an element of shape ... was expected."'),
        about=(given,), what="from_generator", inputs=given)


def _unlike(declared: Any, seen: Any) -> Iterator[tuple[Tensor, Tensor]]:
    if isinstance(declared, tuple) and isinstance(seen, tuple) and len(declared) == len(seen):
        for one, other in zip(declared, seen, strict=True):
            yield from _unlike(one, other)
    elif isinstance(declared, Tensor) and isinstance(seen, Tensor) and isinstance(declared.shape, tuple) \
            and isinstance(seen.shape, tuple) and (len(declared.shape) != len(seen.shape) or any(
                is_known(a) and is_known(b) and a != b for a, b in zip(declared.shape, seen.shape, strict=True))):
        yield declared, seen
