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


def listed(signature: Any, argument: str) -> Mismatch | None:
    """A list in what is declared: tf.data takes it for one value (tensorflow/python/data/util/nest.py)."""
    if not _has_list(signature):
        return None
    error = 'TypeError "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found <class ' \
            '\'list\'> which is not"' if argument == "output_signature" else \
            'TypeError "Cannot convert the argument `type_value` to a TensorFlow DType"'
    return Mismatch(Problem.UNEXPECTED, f"{argument} has a list in it, which tf.data takes for one value",
                    help="a tuple of them, and a generator that yields tuples", error=error)


def _has_list(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and not isinstance(value[0], int | None)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return any(map(_has_list, parts))


def tell_of_structure(c: Call, declared: Any, items: list[Any]) -> bool:
    """Tuples and dicts that the signature declares and no element has (tensorflow/python/data/util/nest.py:
    assert_shallow_structure)."""
    m = c.machine
    found = [_other_structure(declared, item) for item in items]
    if not found or found[0] is None or not all(found) or m.trying or m.handlers:
        return False
    wanted, given = found[0]
    return refuse(m, c.span, Mismatch(
        Problem.FED, f"the generator yields {given}, its signature declares {wanted}",
        help="yield a, b, a tuple" if given.startswith("a list") and wanted.startswith("a tuple") else
        "the same tuples and dicts in both",
        error='InvalidArgumentError "TypeError: `generator` yielded an element that did not match the expected '
              'structure"', facts=(("moment", "when the dataset is read"),)), what="from_generator")


def _other_structure(declared: Any, given: Any) -> tuple[str, str] | None:
    """The first place where they differ: what is declared there, and what is given."""
    if isinstance(declared, dict) and isinstance(given, dict):
        odd = next((key for key in (*declared, *given) if key not in declared or key not in given), None)
        if odd is not None:
            kept, lacking = f"a dict with {odd}", f"a dict without {odd}"
            return (kept, lacking) if odd in declared else (lacking, kept)
        pairs = [(declared[key], given[key]) for key in declared]
    elif not isinstance(declared, tuple | dict) or not isinstance(given, tuple | list | dict | Tensor | int | float):
        return None
    elif not isinstance(declared, tuple) or not isinstance(given, tuple) or len(declared) != len(given):
        return _shown(declared), _shown(given)
    else:
        pairs = list(zip(declared, given, strict=True))
    return next(filter(None, (_other_structure(one, other) for one, other in pairs)), None)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    return f"one array, {show(value.shape)}" if isinstance(value, Tensor) else "one number"


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
