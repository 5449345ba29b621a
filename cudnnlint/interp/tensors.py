"""Attributes and methods of tensors: by their kind they are those of numpy arrays, tf tensors or Keras ones."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.facts.changes import TENSOR_METHODS
from cudnnlint.interp.changed_arrays import METHODS, lose_elements
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.graphs.fed import check_feed, tell_fed
from cudnnlint.interp.graphs.opened_extents import OPENED, axes_open
from cudnnlint.interp.graphs.placeholders import is_placeholder, refuse_value
from cudnnlint.interp.graphs.sessions import built, ran
from cudnnlint.interp.keras.layers import FROZEN, WEIGHT
from cudnnlint.interp.keras.variable_dtypes import is_kept_by_keras
from cudnnlint.interp.loops.kept import ASSIGNED
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.mistakes.assigned_dtypes import of_another_dtype
from cudnnlint.interp.mistakes.changes import check_symbolic
from cudnnlint.interp.mistakes.grown_in_place import tell_of_grown
from cudnnlint.interp.objects import BuiltinV, MethodV
from cudnnlint.interp.registry import Call, find_attribute, find_method
from cudnnlint.interp.torch.leaves import as_leaf, is_leaf, tell_of_leaf, written_into
from cudnnlint.ops.arith import as_shape
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import NUMERIC
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import FREE, Mismatch, Problem, Shape, Step, Symbol, Tensor, Unknown
from cudnnlint.values.dim import may_equal, meet
from cudnnlint.values.numpy_int import NumpyInt
from cudnnlint.values.unknown import Elements, OpenExtent, length_of

NUMPY_METHODS = frozenset({
    "reshape", "transpose", "flatten", "ravel", "squeeze", "mean", "sum", "max", "min", "std", "var", "prod", "argmax",
    "argmin", "repeat", "swapaxes", "all", "any", "clip", "cumsum", "cumprod", "round", "argsort", "take", "dot",
    "nonzero", "trace", "ptp", "searchsorted", "conj",
})
SAME = frozenset({"copy", "numpy", "cpu", "detach", "read_value", "value", "block_until_ready", "tolist", "tobytes"})


def shape_value(tensor: Tensor) -> Any:
    """`x.shape` as the program sees it: None for a free extent of a symbolic tensor."""
    if isinstance(tensor.shape, Unknown):
        return tensor.shape
    shape = tuple(int(dim) if isinstance(dim, NumpyInt) else dim for dim in tensor.shape)
    if tensor.kind == "keras":
        dims: tuple[Any, ...] = tuple(None if isinstance(dim, Symbol) else dim for dim in shape)
    else:
        dims = tuple(Unknown("an extent that varies") if isinstance(dim, Symbol) else
                     length_of(dim, dim.why) if type(dim) is Unknown else dim for dim in shape)
    return assume(dims, tensor.assumptions)


def _inside(m: Machine, tensor: Tensor) -> Any:
    """The same with its open extents marked, inside a call() on symbolic tensors."""
    found = shape_value(tensor)
    if OPENED in m.state and (axes := axes_open(m, tensor)):
        return assume(tuple(OpenExtent("an extent that varies") if axis in axes else given
                            for axis, given in enumerate(plain(found))), tensor.assumptions)
    if not m.symbolic or tensor.kind != "tf" or not isinstance(tensor.shape, tuple) \
            or not any(isinstance(dim, Symbol) for dim in tensor.shape) or not is_placeholder(m, tensor):
        return found
    dims = tuple(OpenExtent("an extent that varies") if isinstance(dim, Symbol) else given
                 for dim, given in zip(tensor.shape, plain(found), strict=True))
    return assume(dims, tensor.assumptions)


def torch_attribute(m: Machine, tensor: Tensor, name: str) -> Any:
    """A property or method that PyTorch's handlers know, or a function with the tensor as its first argument."""
    if (handler := find_attribute(TORCH, name)) is not None:
        return handler(m, tensor)
    if (method := find_method(TORCH, name)) is not None:
        return MethodV(tensor, method)
    if name.endswith("_") and not name.endswith("__"):
        return BuiltinV(name, lambda c: _in_place(m, tensor, name, c))
    path = next((path for path in (f"{TORCH}.{name}", f"torch.{name}") if path in FUNCTIONS), None)
    if path is None:
        return Unknown(f"attribute {name} of a tensor")
    return BuiltinV(name, lambda c: apply_function(m, path, [tensor, *c.args], c.kwargs, c.node))


TORCH = "torch.Tensor"
RESHAPING = frozenset({"resize_", "resize_as_", "squeeze_", "unsqueeze_", "transpose_", "t_", "swapaxes_", "set_"})
"""Methods that give the tensor itself another shape; all others whose name ends like theirs keep it."""
ARITHMETIC = frozenset({"add_", "sub_", "mul_", "div_"})
"""Methods that take what the function of their name without `_` takes, if its result has the tensor's own shape."""
REFUSING = frozenset({"masked_fill_", "scatter_", "scatter_add_"})
"""Methods with the parameters of the function of their name without `_`, which refuse whatever that refuses."""


def _in_place(m: Machine, tensor: Tensor, name: str, c: Call) -> Any:
    """`x.normal_()`: the tensor itself, with elements that are not known any more."""
    if name in REFUSING:
        apply_function(m, f"torch.{name.removesuffix('_')}", [tensor, *c.args], c.kwargs, c.node)
    if name in ARITHMETIC and len(c.args) == 1 and isinstance(plain(c.args[0]), Tensor):
        result = apply_function(m, f"torch.{name.removesuffix('_')}", [tensor, *c.args], {}, c.node)
        tell_of_grown(m, c.span, f"{name}()", tensor, plain(result))
    shape = Unknown(f"{name}()") if name in RESHAPING else tensor.shape
    leaf = name not in RESHAPING and is_leaf(tensor)
    if leaf:
        tell_of_leaf(m, tensor, c.span, f"{name}()")
    made = as_leaf(tensor, c.span) if leaf else Tensor(
        shape, tensor.dtype, tensor.kind, None, Step(c.span, (tensor,), "in place"), tensor.assumptions)
    made = written_into(tensor, made)
    written = getattr(getattr(c.node, "func", None), "value", None)
    if isinstance(written, ast.Name | ast.Attribute):
        from cudnnlint.interp.names import assign

        assign(m, written, made)
    return made


def tensor_attribute(m: Machine, tensor: Tensor, name: str, node: ast.AST) -> Any:
    if tensor.kind == "torch":
        return torch_attribute(m, tensor, name)
    if name == "shape":
        return _inside(m, tensor)
    if name in ("_keras_shape", "_shape_val"):  # as Keras before 2.4, and TensorFlow itself, kept it
        return shape_value(tensor if tensor.kind == "keras" else tensor.with_(kind="keras"))
    if name in TENSOR_METHODS and tensor.kind == "keras" and not is_kept_by_keras(tensor):
        check_symbolic(m, name, node)
    if name in ("get_shape", "_shape_tuple"):
        return BuiltinV(name, lambda c: _inside(m, tensor))
    if name == "dtype":
        return tensor.dtype
    if name in ("ndim", "rank"):
        return Unknown("rank") if tensor.rank is None else tensor.rank
    if name == "size":
        from cudnnlint.values.dim import is_known, product

        total = product(tensor.shape) if isinstance(tensor.shape, tuple) else tensor.shape
        return assume(total, tensor.assumptions) if is_known(total) else Unknown("size")
    if name == "T":
        return apply_function(m, "numpy.transpose", [tensor], {}, node)
    if name == "astype":
        return BuiltinV(name,
                        lambda c: apply_function(m, "tensorflow.cast" if tensor.kind != "numpy" else "numpy.astype",
                                                       [tensor, _dtype(c.get(0, "dtype"))], {}, c.node))
    if name == "numpy" and tensor.kind in ("tf", "keras"):
        refuse_value(m, tensor, "numpy()", m.span(node))
    if name == "item" or (name == "numpy" and isinstance(tensor.content, (int, float))):
        return BuiltinV(name, lambda c: tensor.content if isinstance(tensor.content, (int, float))
                        else Unknown("an element"))
    if name == "value" and m.stack.keras >= (3,) and is_kept_by_keras(tensor):
        return _same(tensor, name)  # a property: keras/src/backend/common/variables.py, Variable
    if name in SAME:
        return BuiltinV(name, lambda c: _same(tensor, name))
    if name == "set_shape":
        return BuiltinV(name, lambda c: _set_shape(m, tensor, c))
    if name == "resize" and tensor.kind == "numpy":
        return BuiltinV(name, lambda c: _resized(m, tensor, c))
    if name in NUMPY_METHODS:
        return BuiltinV(name, lambda c: _numpy_method(m, tensor, name, c))
    if name in ("assign", "assign_add", "assign_sub"):
        return BuiltinV(name, lambda c: _assigned(m, tensor, name, c))
    if name in METHODS and tensor.kind == "numpy":
        return BuiltinV(name, lambda c: lose_elements(m, tensor))
    if name == "view" and tensor.kind == "numpy":
        return BuiltinV(name, lambda c: Unknown("a view") if c.args or c.kwargs else tensor)
    if name == "eval":
        return BuiltinV(name, lambda c: _evaluated(m, c, tensor))
    if name == "name" and m.stack.keras >= (2, 4) and (given := name_of_input(tensor)):
        return given
    return Unknown(f"attribute {name} of a tensor")


def name_of_input(tensor: Tensor) -> str | None:
    """That which the program gave the Input itself (keras/src/layers/core/input_layer.py: InputLayer.__init__)."""
    step = tensor.step
    maker = step.maker if tensor.kind == "keras" and step is not None and not step.parents else None
    named = getattr(maker, "path", "") == "keras.layers.InputLayer" and "name" in getattr(maker, "given", ())
    return getattr(maker, "name", None) if named else None


def _set_shape(m: Machine, tensor: Tensor, c: Call) -> None:
    """The variable that holds the tensor holds one whose open extents are told from here on; other names of it do not
    (tensorflow/python/framework/ops.py: Tensor.set_shape)."""
    from cudnnlint.interp.names import assign

    wanted, variable = as_shape(strip(c.get(0, "shape"))), _variable(c)
    if not isinstance(wanted, tuple) or variable is None:
        return
    if isinstance(tensor.shape, tuple):
        if len(tensor.shape) != len(wanted) or not all(map(may_equal, tensor.shape, wanted)):
            return
        wanted = tuple(dim if isinstance(dim, Unknown) and told == FREE else meet(dim, told)
                       for dim, told in zip(tensor.shape, wanted, strict=True))
    assign(m, variable, tensor.with_(shape=wanted))


def _resized(m: Machine, tensor: Tensor, c: Call) -> None:
    """`array.resize((20, 1))` gives the array itself another shape, and returns nothing (numpy/_core/src/multiarray/
    methods.c: array_resize)."""
    from cudnnlint.interp.names import assign

    given = strip(c.args[0] if len(c.args) == 1 else tuple(c.args))
    wanted = as_shape((given,) if isinstance(given, int) else given)
    if (variable := _variable(c)) is not None:
        assign(m, variable, Tensor(wanted if isinstance(wanted, tuple) else Unknown("resize()"), tensor.dtype, "numpy",
                                   None, Step(c.span, (tensor,), "resize"), tensor.assumptions))


def _variable(c: Call) -> ast.Name | ast.Attribute | None:
    """What holds the object whose method is called."""
    held = getattr(c.node, "func", None)
    variable = held.value if isinstance(held, ast.Attribute) else None
    return variable if isinstance(variable, ast.Name | ast.Attribute) else None


def _assigned(m: Machine, tensor: Tensor, name: str, c: Call) -> Tensor:
    built(m, f"tensorflow.Variable.{name}", c.span)
    found: set[Any] = set(tensor.assumptions)
    given = strip(c.get(0, "value" if name == "assign" else "delta"), found)
    value = as_tensor(given, "tf")
    if (hear := m.state.get(ASSIGNED)) is not None and isinstance(value, Tensor):
        hear(m, c.span, tensor, value, name)
    if _is_fixed(tensor) and isinstance(value, Tensor) and not m.trying and not _fits(tensor.shape, value.shape):
        m.say(Rejected, c.span, about=(tensor, value), assumptions=frozenset(found), what=f"Variable.{name}",
              mismatch=Mismatch(
                  Problem.BROADCAST, f"Variable.{name}: the variable is {tensor}, the value {value}",
                  help="a variable keeps its shape; tf.Variable(..., shape=tf.TensorShape(None)) takes any"
                  if tensor.step is not None and tensor.step.maker == "tensorflow.Variable" else
                  "a variable keeps its shape",
                  error='ValueError "Cannot assign value to variable", "The shape of the target variable and the shape '
                        'of the target value" or InvalidArgumentError "Cannot update variable"',
                  facts=(("shapes", (tensor.shape, value.shape)),)))
    elif not m.trying and (wrong := of_another_dtype(tensor, given, name)):
        m.say(Rejected, c.span, about=(tensor, value), assumptions=frozenset(found), what=f"Variable.{name}",
              mismatch=wrong)
    return _whole(tensor)


def _whole(tensor: Tensor) -> Tensor:
    """The variable that it is, or is a slice of: assign() of a slice gives all of it
    (tensorflow/python/ops/array_ops.py: _SliceHelperVar)."""
    while tensor.step is not None and tensor.step.maker == "operator.getitem" and tensor.step.parents:
        tensor = tensor.step.parents[0]
    return tensor


def _fits(wanted: Shape | Unknown, given: Shape | Unknown) -> bool:
    if isinstance(wanted, Unknown) or isinstance(given, Unknown):
        return True
    return len(given) == len(wanted) and all(map(may_equal, given, wanted))


def _is_fixed(tensor: Tensor) -> bool:
    """Whether it is a variable of one shape, not a slice of one (tensorflow/python/ops/resource_variable_ops.py:
    BaseResourceVariable.assign)."""
    step = tensor.step
    if step is not None and step.maker in (WEIGHT, FROZEN) and isinstance(tensor.shape, tuple):
        return True
    if step is None or step.maker != "tensorflow.Variable" or not isinstance(tensor.shape, tuple):
        return False
    args, kwargs = step.arguments or ((), {})
    return len(args) < 3 and not {"shape", "validate_shape", "**"} & set(kwargs)


def _evaluated(m: Machine, c: Call, tensor: Tensor) -> Unknown:
    """`x.eval()` runs the default session; TensorFlow 2 refuses it unless the program has made one."""
    if m.stack.tensorflow < (2,) or not m.conditions:
        ran(m, c.span)
        check_feed(c, c.get(0, "feed_dict"))
        tell_fed(c, tensor, c.get(0, "feed_dict"))
    return Unknown("what a session gives")


def _dtype(value: Any) -> Any:
    value = plain(value)
    return getattr(value, "name", value) if isinstance(value, BuiltinV) else value


def _same(tensor: Tensor, name: str) -> Any:
    if name == "numpy" and tensor.dtype == "string" and tensor.shape == ():
        return Unknown("the bytes of a text")  # EagerTensor.numpy of a scalar of them is no array
    if name == "numpy":
        if tensor.shape == () and (tensor.dtype == "string" or isinstance(tensor.dtype, Unknown)):
            return Unknown("the bytes of a text")  # what has elements of its own
        return Tensor(tensor.shape, tensor.dtype, "numpy", tensor.content, tensor.step, tensor.assumptions)
    if name == "tolist" and tensor.content is not None:
        return _listed(tensor.content)
    if name == "tolist" and tensor.rank:
        of = "numbers" if tensor.dtype in NUMERIC else "texts" if tensor.dtype == "string" else ""
        return Elements("a list out of a tensor", of=of)
    return Unknown("a list out of a tensor") if name in ("tolist", "tobytes") else tensor


def _listed(content: Any) -> Any:
    from cudnnlint.interp.heap import ListV

    return ListV([_listed(item) for item in content]) if isinstance(content, tuple) else content


def _numpy_method(m: Machine, tensor: Tensor, name: str, c: Call) -> Any:
    path = f"numpy.{name}"
    if path not in FUNCTIONS and name in ("flatten", "ravel"):
        path = "numpy.ravel"
    args = list(c.args)
    if name in ("reshape", "transpose") and (len(args) > 1 or (args and _number_like(args[0]))):
        args = [tuple(args)]  # x.reshape(2, 3) is x.reshape((2, 3))
    return apply_function(m, path, [tensor, *args], c.kwargs, c.node)


def _number_like(value: Any) -> bool:
    from cudnnlint.interp.heap import ListV

    held = plain(value)
    return held.rank == 0 if isinstance(held, Tensor) else not isinstance(held, ListV | Unknown | tuple | None)
