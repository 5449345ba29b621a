"""Calls: a user's function is inlined, a class instantiated, a library path handled or modelled."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.changes import ARGUMENTS
from cudnnlint.facts.inner_rooms import is_of_version_1
from cudnnlint.facts.needed import needed
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.builtin.methods import call_python_method
from cudnnlint.interp.changed_arrays import FUNCTIONS as CHANGING
from cudnnlint.interp.changed_arrays import lose_elements
from cudnnlint.interp.classes import instantiate
from cudnnlint.interp.convert import DTYPES
from cudnnlint.interp.forget import forget, forget_closures, reads_only
from cudnnlint.interp.functions import apply_function, display
from cudnnlint.interp.graphs.placeholders import NUMPY_OF_TENSORFLOW, OPENING, refuse_opening
from cudnnlint.interp.guarding import guarded
from cudnnlint.interp.heap import ListV, Raised
from cudnnlint.interp.inlined import call_function
from cudnnlint.interp.keras.creation import create_layer
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.keras.moulds import made
from cudnnlint.interp.keras.subclass import call_keras_instance, mark_built
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.mistakes.changes import check_arguments
from cudnnlint.interp.mistakes.choices import CHOOSING, tell_of_choices
from cudnnlint.interp.mistakes.unlisted import tell_of_needed, tell_of_unlisted
from cudnnlint.interp.modules import way_to_read
from cudnnlint.interp.objects import (
    MISSING,
    OF_THE_CLASS,
    BoundV,
    BuiltinV,
    ClassV,
    External,
    FunctionV,
    InstanceV,
    MethodV,
    PartialV,
)
from cudnnlint.interp.registry import CALLS, Call, ancestry, find_method
from cudnnlint.interp.supers import OF_THE_BASE, base_asked, call_of_base
from cudnnlint.interp.torch.outputs import written
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS
from cudnnlint.values import Assumed, Tensor, Unknown
from cudnnlint.values.assumption import NONE
from cudnnlint.values.numpy_int import NumpyFloat, NumpyInt


def call(m: Machine, c: Call) -> Any:
    """Dispatch on what is called."""
    callee = c.callee
    if type(callee) is Assumed:
        callee = callee.value
    handler = DISPATCH.get(type(callee))
    if handler is not None:
        return handler(m, c, callee)
    called = getattr(callee, "called", None)
    if called is not None:
        return called(c)
    path = getattr(callee, "path", None)
    if isinstance(path, str) and (method := find_method(path, "__call__")) is not None:
        return call_method(m, c, MethodV(c.callee, method))
    if isinstance(callee, str) and callee in DTYPES:
        return _converted(m, c, callee)
    if isinstance(callee, Unknown) and isinstance(function := getattr(c.node, "func", None), ast.Attribute) \
            and (any_path := f"*.{function.attr}") in CALLS:
        guarded(m, any_path, c)
    forget(m, c)
    return callee if isinstance(callee, Unknown) else Unknown(f"call of {_name(callee)}{way_to_read(m, callee)}")


def _converted(m: Machine, c: Call, dtype: str) -> Any:
    """`np.float32(x)`: an array of that type, or a number of that kind."""
    held = plain(c.args[0]) if c.args else 0
    narrow = dtype in ("float16", "float32") and isinstance(held, int | float)  # which keeps an array's width
    if c.args and (narrow or isinstance(held, Tensor | ListV | tuple)):
        return apply_function(m, "numpy.array", [c.args[0], dtype], {}, c.node)
    if isinstance(held, int) and not isinstance(held, bool) and dtype.startswith("float"):
        made = float if dtype == "float" else NumpyFloat  # np.float was Python's own
        return assume(made(held), assumptions_of(c.args[0])) if c.args and abs(held) < 1 << 53 else made(0.0)
    if isinstance(held, float) and dtype == "float64" and c.args:
        return assume(NumpyFloat(held), assumptions_of(c.args[0]))
    if dtype.startswith(("int", "uint")) and isinstance(held, int | float) and abs(held) < 1 << 31:
        kind = int if dtype == "int" else NumpyInt  # np.int was Python's own
        return assume(kind(held), assumptions_of(c.args[0]) if c.args else NONE)
    return c.args[0] if c.args else 0


def _name(value: Any) -> str:
    """What an object of a library that is not modelled is an instance of."""
    path = getattr(value, "path", "")
    return path if isinstance(path, str) and path else "something unknown"


def call_bound(m: Machine, c: Call, bound: BoundV) -> Any:
    function, receiver = bound.function, bound.receiver
    inner = Call(m, function, [receiver, *c.args], c.kwargs, c.node)
    if type(function) is not FunctionV:
        return call(m, inner)
    result = call_function(m, inner, function)
    if function.name == "build" and isinstance(receiver, InstanceV):
        mark_built(m, receiver)
    return result


def call_partial(m: Machine, c: Call, partial: PartialV) -> Any:
    return m.call(partial.function, [*partial.args, *c.args], {**partial.kwargs, **c.kwargs}, c.node)


OF_ALL = frozenset({"zip", "map", "max", "min", "range", "slice", "sum", "isinstance", "issubclass", "getattr",
                    "sorted", "all", "any", "list", "tuple", "set", "enumerate"})
"""Builtins that go by the number of their arguments, so that nothing is known once some are not."""
FEWEST = {**dict.fromkeys(("all", "any", "iter", "next", "reversed", "sorted", "sum"), 1),
          **dict.fromkeys(("filter", "getattr", "hasattr"), 2), "setattr": 3}
"""How many arguments a builtin needs; with fewer it raises TypeError."""


def call_builtin(m: Machine, c: Call, builtin: BuiltinV) -> Any:
    if BUILTINS.get(builtin.name) is builtin:
        if STAR in c.kwargs and builtin.name in OF_ALL:
            forget(m, c)
            return Unknown("arguments that are not known")
        if len(c.args) < FEWEST.get(builtin.name, 0):
            return Unknown(f"{builtin.name}() without its arguments")
    try:
        return builtin.run(c)
    except (Raised, OutOfBounds, RecursionError, MemoryError):
        raise
    except Exception as error:  # our own bug must not end the run
        return m.crash(builtin.name, error, c.span)


def call_method(m: Machine, c: Call, method: MethodV) -> Any:
    """A method of a modelled value: by handler path, or a builtin method of a Python value."""
    receiver = plain(method.receiver)
    if c.kwargs and _is_written_so(c, method.name):
        tell_of_unlisted(m, c.node, method.name, display(method.name), c.kwargs)
    if method.name in CHOOSING:
        tell_of_choices(m, c.node, method.name, display(method.name), c.args, c.kwargs)
    if method.name in needed() and _is_written_so(c, method.name):
        tell_of_needed(m, method.name, display(method.name), c.args, c.kwargs, c.node)
    if method.name in CALLS:
        if method.name not in SURE:
            m.doubts += 1
        c.receiver = method.receiver
        return guarded(m, method.name, c)
    try:
        return call_python_method(m, method.receiver, receiver, method.name, c)
    except (Raised, OutOfBounds, RecursionError, MemoryError):
        raise
    except Exception as error:
        return m.crash(f"method {method.name}", error, c.span)


def _is_written_so(c: Call, path: str) -> bool:
    """Whether the program calls it on an object by that name; `Class.apply(x, name="a")` may be a method of the class's
    own kind."""
    node = c.node
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(c.args) >= len(node.args) \
        and node.func.attr == path.rpartition(".")[2]


SURE = frozenset({"keras.Input", "keras.Model", "keras.Model.get_layer", "keras.Sequential",
                  "keras.applications.imagenet_utils.obtain_input_shape", "keras.backend.image_data_format",
                  "keras.layers.Layer._track_trackable", "keras.layers.Layer.add_weight"})
"""Handled calls whose failures are told, or that count what may fail: a try block of nothing else is followed alone."""


SETTINGS = frozenset({"keras.initializers", "keras.regularizers", "keras.constraints"})
"""Modules of what layers are set up with: making one is no doubt."""


def call_external(m: Machine, c: Call, external: External) -> Any:
    """A library callable: a handler, a layer, a modelled function, a class without a model, or Unknown."""
    path = external.path
    if m.tracing and path in OPENING:
        refuse_opening(m, c.args[:2] if path == "os.path.join" else c.args[:1], f"{path}()", c.span)
    if path in CHOOSING:
        tell_of_choices(m, c.node, path, display(path), c.args, c.kwargs)
    if path in needed() and (external.written == path or path.startswith("keras.")):  # under another name it may differ
        tell_of_needed(m, path, display(path), c.args, c.kwargs, c.node)
    if c.kwargs:
        if path in ARGUMENTS:
            check_arguments(c, external)
        if path not in LAYERS and path not in FUNCTIONS and not path.startswith(OF_OBJECTS):
            tell_of_unlisted(m, c.node, path, display(path), c.kwargs)
        if "out" in c.kwargs:
            lose_elements(m, plain(c.kwargs["out"]))
            if path.startswith("torch."):
                return written(m, c, lambda rest: call_external(m, rest, external))
    if path in CHANGING and c.args:
        lose_elements(m, plain(c.args[0]))
    if path.startswith("tensorflow.") and (m.stack.tensorflow < (2,) or is_of_version_1(external.written)):
        path = of_version_1(path)
    if path.startswith("numpy.") and "experimental" in external.written:
        m.state[NUMPY_OF_TENSORFLOW] = True
    if path in CALLS:
        return _handled(m, c, external, path)
    if path in LAYERS:
        return create_layer(m, path, c)
    if path in FUNCTIONS:
        return apply_function(m, path, c.args, c.kwargs, c.node)
    return _without_model(m, c, external, path)


def _handled(m: Machine, c: Call, external: External, path: str) -> Any:
    """A callable that has a handler."""
    if path not in SURE:
        m.doubts += 1
    if path.startswith(OF_OBJECTS):  # `torch.Tensor.size(x)`
        if c.args and _is_of(plain(c.args[0]), path):
            return guarded(m, path, Call(m, external, c.args[1:], c.kwargs, c.node, c.args[0]))
        if path.startswith("torch.Tensor."):
            return Unknown(f"{path}()")
    return guarded(m, path, c)


def _without_model(m: Machine, c: Call, external: External, path: str) -> Any:
    """A callable of which nothing but its name is known, or a method that is called by its class."""
    owner, _, name = path.rpartition(".")
    if owner not in SETTINGS:
        m.doubts += 1
    if name in OF_THE_BASE and c.args and (base := base_asked(c.args[0], owner)) is not None:
        return call_of_base(m, base, name, Call(m, external, c.args[1:], c.kwargs, c.node), plain(c.args[0]))
    if (unbound := find_method(owner, name)) is not None and (c.args or name == OF_THE_CLASS):
        held, rest = (External(owner), c.args) if name == OF_THE_CLASS else (c.args[0], c.args[1:])
        return m.call(MethodV(held, unbound), rest, c.kwargs, c.node)
    if name[:1].isupper():
        forget_closures(m, c)
        return ObjectV(path, tuple(c.args), dict(c.kwargs), c.span)
    if reads_only(path):
        forget_closures(m, c)
    else:
        forget(m, c)
    return Unknown(f"{path}()")


OF_OBJECTS = ("torch.Tensor.", "keras.Model.", "keras.layers.Layer.", "torch.nn.Module.")
"""Beginnings of methods that are also called by their class, with the object for the first argument."""


def _is_of(held: Any, path: str) -> bool:
    """Whether an object has the method of that path."""
    if path.startswith("torch.Tensor."):
        return isinstance(held, Tensor)
    kind = held.cls.external_base() if isinstance(held, InstanceV) else getattr(held, "path", None)
    return isinstance(kind, str) and path.rpartition(".")[0] in ancestry(kind)


def of_version_1(path: str) -> str:
    """The function that TensorFlow 1 has by that name, where it takes other arguments."""
    old = path.replace("tensorflow.", "tensorflow.compat.v1.", 1)
    return old if old in FUNCTIONS else path


def call_instance(m: Machine, c: Call, instance: InstanceV) -> Any:
    base = instance.cls.external_base()
    method = method_of(instance, "__call__")
    if base is not None and method is MISSING and (path := find_method(base, "__call__")) is not None:
        return m.call(MethodV(instance, path), c.args, c.kwargs, c.node)
    if base is not None and base.startswith("keras."):
        return call_keras_instance(m, c, instance)
    if method is not MISSING:
        return m.call(method, c.args, c.kwargs, c.node)
    return Unknown(f"call of {instance.cls.name}")


def call_class(m: Machine, c: Call, cls: ClassV) -> Any:
    return made(m, cls, c, lambda: instantiate(m, cls, c))


DISPATCH: dict[type, Any] = {
    FunctionV: call_function, BoundV: call_bound, PartialV: call_partial, BuiltinV: call_builtin,
    MethodV: call_method, External: call_external, InstanceV: call_instance, ClassV: call_class,
}
