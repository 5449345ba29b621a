"""What compile() and fit() are handed that they do not take: lists of numbers, functions, classes."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.training.feeding import SEQUENCES, attempt
from cudnnlint.frameworks.training.listed_data import DATA, check_lists
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.incomplete import is_followed
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.mistakes.lengths import method_with_length, tell_of_fraction
from cudnnlint.interp.mistakes.unexpected import described
from cudnnlint.interp.objects import MISSING, BoundV, External, FunctionV, GeneratorV, InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Where

KERAS_3 = Where(keras=">=3")
PLACES = {"x": 0, "validation_data": 7}
"""Arguments of fit() that may be iterators, and where they stand."""
PARTS = ("x", "y", "sample_weight")
"""What validation_data may be made of (keras/src/trainers/data_adapters/data_adapter_utils.py:
unpack_x_y_sample_weight)."""


def check_data(c: Call, method: str, arguments: dict[str, Any]) -> None:
    """`fit([[0, 1]], [1])`, `fit(generator)` of a function that is not called, and `fit(zip(images, masks))`
    (keras/src/trainers/data_adapters/__init__.py: get_data_adapter, which asks for types.GeneratorType)."""
    if c.receiver is None:
        return
    _check_sequence(c, method, plain(arguments.get("x")))
    for name in PLACES if method == "fit" else ("x",):
        held = plain(arguments.get(name))
        if isinstance(held, GeneratorV) and held.maker:
            _tell(c, method, f"{name} is {_article(held.maker)} {held.maker} object, no generator",
                  f"a generator of the same: (batch for batch in {held.maker}(...))", KERAS_3, DATA,
                  (name, PLACES[name], "(batch for batch in {})"))
            return
    for name in ("x", "y"):
        held = plain(arguments.get(name))
        if isinstance(held, FunctionV | BoundV):
            _tell(c, method, f"{name} is {described(held)}, which is not called",
                  "call it, if it is a generator's: it gives the batches", Where(),
                  f'{DATA} or "Failed to find data adapter that can handle input"')
            return
        if isinstance(held, str) and name == "x":
            _tell(c, method, f"x is the text {held!r}", "read the file: the model takes arrays of what is in it",
                  Where(), f'{DATA}, in Keras 2 IndexError "tuple index out of range"')
            return
    held = plain(arguments.get("validation_data"))
    parts = held.items if type(held) is ListV and not held.unknown else held
    if isinstance(parts, list | tuple) and len(parts) > len(PARTS):
        _tell(c, method, f"validation_data has {len(parts)} parts", f"({', '.join(PARTS)}), or fewer of them", Where(),
              'ValueError "Data is expected to be in format"')
        return
    check_lists(c, method, arguments)


def _check_sequence(c: Call, method: str, held: Any) -> None:
    """A Sequence without one of the two methods that say what it is (keras/src/trainers/data_adapters/
    py_dataset_adapter.py: PyDataset; tf_keras/src/utils/data_utils.py: Sequence)."""
    if not isinstance(held, InstanceV) or (base := held.cls.external_base() or "") not in SEQUENCES \
            or not is_followed(held, base) or not is_meant(c.machine):
        return
    lacking = [method for method in ("__len__", "__getitem__")
               if held.cls.lookup(method) is MISSING and method not in held.items]
    if lacking and (lacking != ["__len__"] or held.cls.lookup("num_batches") is MISSING):
        name = held.cls.name
        refuse(c.machine, c.span, Mismatch(
            Problem.INCOMPLETE, f"{method}() of {name}, which has no {lacking[0]}()",
            help="__len__() says how many batches there are, __getitem__(index) gives one of them",
            error="NotImplementedError"), what=name, stage=method)
    elif "__len__" not in lacking and method_with_length(held) is not None:
        tell_of_fraction(c.machine, held, attempt(c.machine, held, "__len__", []), c.span)


def check_samples(c: Call, method: str, x: Any, model: ModelV | None) -> bool:
    """`predict(images)` of a list with as many single images as there are files, by a model of one input: each of them
    is taken for an input (keras/src/models/functional.py: Functional._standardize_inputs); whether it was told."""
    held = plain(x)
    if model is None or not isinstance(model.inputs, Tensor) or not isinstance(held, ListV) or not held.unknown:
        return False
    wanted, one = model.inputs.shape, strip(held.typical())
    if not isinstance(wanted, tuple) or not isinstance(one, Tensor) or one.kind == "keras" \
            or one.shape != wanted[1:] or not all(isinstance(dim, int) for dim in wanted[1:]) or (
                wanted[-1] == 1 and (model.kind != "functional" or len(wanted) == 2)):  # an axis is added
        return False
    return refuse(c.machine, c.span, Mismatch(
        Problem.INPUT_COUNT, f"the model has 1 input, a list of single samples is given, {one} each",
        help="np.stack(...) makes one array of them", facts=(("expected", 1),),
        error='ValueError "expects 1 input(s), but it received 2 input tensors" or "expected shape=(None, 64, 64, 3)"'),
        about=(one, model.inputs), what=f"Model.{method}", stage=method, inputs=one)


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def check_compiled(c: Call, arguments: dict[str, Any]) -> None:
    """`metrics="accuracy"` and the class of an optimizer (keras/src/trainers/compile_utils.py: CompileMetrics.__init__;
    keras/src/optimizers/__init__.py: get)."""
    for name in ("metrics", "weighted_metrics"):
        if (found := _single(plain(arguments.get(name)))) is not None:
            _tell(c, "compile", f"{name} is {found[0]}, not a list", f"{name}=[{found[1]}]", KERAS_3,
                  f'ValueError "Expected `{name}` argument to be a list, tuple, or dict"')
            return
    held = plain(arguments.get("optimizer"))
    if isinstance(held, External) and held.path.startswith("keras.optimizers.") and held.path.count(".") == 2 \
            and held.path.rpartition(".")[2][:1].isupper():
        _tell(c, "compile", f"optimizer is the class {held.path.rpartition('.')[2]}, not an optimizer",
              f"{held.path.rpartition('.')[2]}(), an object of the class", Where(),
              'ValueError "Could not interpret optimizer identifier"')
    elif isinstance(held, ObjectV) and held.path.startswith(("keras.losses.", "keras.metrics.")):
        _, kind, name = held.path.split(".", 2)
        _tell(c, "compile", f"optimizer is {name}, which is of keras.{kind}",
              "the optimizer comes first, the loss after it", Where(),
              'ValueError "Could not interpret optimizer identifier"')
    elif isinstance(held, int | float) and not isinstance(held, bool):
        _tell(c, "compile", f"optimizer is the number {held}, not an optimizer",
              f"keras.optimizers.Adam(learning_rate={held})", Where(),
              'ValueError "Could not interpret optimizer identifier"')


def _single(value: Any) -> tuple[str, str] | None:
    """What is given in place of a list of metrics, and how a list has it; None where it may be one."""
    if isinstance(value, str):
        return f"the text {value!r}", repr(value)
    if isinstance(value, FunctionV) and value.kind == "function":
        return f"the function {value.name}", value.name
    if isinstance(value, DictV) and value.is_set:
        return "a set", f"[{', '.join(map(repr, value.items))}]"
    path = getattr(value, "path", "")
    if not isinstance(value, External | ObjectV) or not path.startswith(("keras.metrics.", "keras.losses.")):
        return None
    name = path.rpartition(".")[2]
    if isinstance(value, External) and name[:1].islower():
        return f"the function {name}", name
    return f"the {'class' if isinstance(value, External) else 'metric'} {name}", f"{name}(...)"


def _tell(c: Call, method: str, message: str, advice: str, where: Where, error: str,
          wrap: tuple[str, int, str] | None = None) -> None:
    facts = (("wrap", wrap),) if wrap is not None else ()
    refuse(c.machine, c.span, Mismatch(Problem.UNEXPECTED, message, help=advice, error=error, where=where, facts=facts),
           what=f"Model.{method}", stage=method)


__all__ = ["check_compiled", "check_data", "check_samples"]
