"""Where a None that a call gave is used as a value: its attributes, its items, a layer's input, an operand."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import model_type
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.nothing import Nothing, returns_nothing, source_of
from cudnnlint.interp.mistakes.unexpected import PREPARING
from cudnnlint.interp.objects import BoundV, BuiltinV, External, FunctionV, InstanceV, MethodV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor

PASSING = frozenset({"Dropout", "GaussianNoise", "GaussianDropout", "AlphaDropout", "Identity", "Lambda", "Layer",
                     "RNN", "Input", "InputLayer", "Sequential", "MultiheadAttention", "Module",
                     "ModuleList", "ModuleDict"})
"""Layers and modules that take None, or of which it is not known; all other layers of Keras 3.15 and tf_keras 2.21
were run on it."""
OF_TWO = frozenset({"matmul", "add", "subtract", "multiply", "divide", "maximum", "minimum"})
FED = frozenset({"keras.Model.fit", "keras.Model.predict", "keras.Model.evaluate"})


def tell_of_unpacked(m: Machine, node: ast.Assign) -> None:
    """`x_train, y_train = load_data()`."""
    if any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
        tell(m, node.value, node.targets[0], "unpacked", 'TypeError "cannot unpack non-iterable NoneType object"')


def tell_of_attribute(m: Machine, node: ast.Attribute) -> None:
    """`model.fit(x, y)` of a model that `build()` made and did not return."""
    if not node.attr.startswith("__"):
        tell(m, node.value, node, f"used as an object with {node.attr}",
             f"AttributeError \"'NoneType' object has no attribute '{node.attr}'\"")


def tell_of_turns(m: Machine, node: ast.expr) -> None:
    """`for layer in layers.append(x)`."""
    tell(m, node, node, "gone through", "TypeError \"'NoneType' object is not iterable\"")


def tell_of_model(m: Machine, model: Any, node: ast.expr) -> None:
    """`for layer in model`: a model of Keras is no sequence of its layers."""
    if model.path.startswith("keras.") and model.instance is None and is_certain(m):
        kind = "Sequential" if model.kind == "sequential" else "Functional"
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, "a model is gone through", help=f"{ast.unparse(node)[:30]}.layers",
            error=f"TypeError \"'{kind}' object is not iterable\"", facts=(("moment", "when it runs"),)), what="for")


def tell_of_item(m: Machine, node: ast.Subscript) -> None:
    tell(m, node.value, node, "asked for an item", "TypeError \"'NoneType' object is not subscriptable\"")


def tell_of_called(m: Machine, node: ast.Call, args: Sequence[Any] = ()) -> None:
    """What a function gave, or an attribute that nobody gave anything: `self.transform(image)`."""
    error = "TypeError \"'NoneType' object is not callable\""
    tell(m, node.func, node, "called", error)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id == "self" and is_certain(m) and any(
            isinstance(plain(one), Tensor) for one in args):
        written = ast.unparse(node.func)[:40]
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, f"{written} is None, and is called", error=error,
            help=f"give it one, or ask if {written} is not None"), what=written)


def tell_of_operand(m: Machine, a: Any, b: Any, symbol: str, node: ast.AST) -> None:
    """`y + shortcut(x)`."""
    if isinstance(node, ast.BinOp) and (a is None) != (b is None):
        tell(m, node.left if a is None else node.right, node, f"an operand of {symbol}",
             f"TypeError \"unsupported operand type(s) for {symbol}\", ValueError \"None values not supported\" or "
             "\"Invalid dtype: NoneType\" or \"Attempt to convert a value (None)\"")


def tell_of_mapping(m: Machine, node: ast.expr) -> None:
    """`Dense(**config.update(units=3))`."""
    tell(m, node, node, "given as **", 'TypeError "argument after ** must be a mapping, not NoneType"')


def tell_of_arguments(m: Machine, callee: Any, node: ast.Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """A layer, a model or a function of tensors is called on None."""
    value = plain(callee)
    if isinstance(value, LayerV):
        if value.user is None and value.path.startswith(("keras.layers.", "torch.nn.")) \
                and value.path.rpartition(".")[2] not in PASSING and not any(part in value.path for part in PREPARING):
            _first(m, node, args, f"the input of {value.display}", OF_LAYER)
    elif isinstance(value, model_type()):
        if value.instance is None and value.path.startswith("keras."):
            _first(m, node, args, "the input of a model", OF_LAYER)
    elif isinstance(value, MethodV):
        if value.name in FED and isinstance(plain(value.receiver), model_type()):
            _first(m, node, args, f"what {value.name.rpartition('.')[2]}() is fed", OF_FED)
    elif isinstance(value, BuiltinV) and value.name == "len":
        _first(m, node, args, "asked for its length", "TypeError \"object of type 'NoneType' has no len()\"")
    elif isinstance(value, External):
        if value.path == "keras.Model":
            _ends(m, node, args, kwargs)
        elif value.path == "tensorflow.data.Dataset.from_tensor_slices":
            _first(m, node, args, "made a dataset of", 'ValueError "`element` should not be empty"')
        elif value.path.startswith(("tensorflow.", "keras.ops.", "torch.")) and value.path in FUNCTIONS:
            _of_function(m, value.path.rpartition(".")[2], node, args)


OF_LAYER = ('ValueError "Inputs to a layer should be tensors. Got \'None\'" or TypeError "must be Tensor, not NoneType"'
            ' or "\'NoneType\' object" or AttributeError')
OF_FED = 'ValueError "None was passed. Please provide a valid tensor" or KeyError "pop from an empty set"'


def _of_function(m: Machine, name: str, node: ast.Call, args: Sequence[Any]) -> None:
    for which, value in enumerate(args[:2 if name in OF_TWO else 1]):
        if value is None and len(node.args) > which:
            tell(m, node.args[which], node, f"an argument of {name}()",
                 'ValueError "Attempt to convert a value (None)" or "None values not supported" or TypeError')


def _ends(m: Machine, node: ast.Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """`keras.Model(inputs, head(x))`."""
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    for which, what in enumerate(("inputs", "outputs")):
        written = node.args[which] if len(node.args) > which else named.get(what)
        given = args[which] if len(args) > which else kwargs.get(what, ...)
        if given is None and written is not None:
            tell(m, written, node, f"the {what} of a model", f'ValueError "All `{what}` values must be KerasTensors" '
                 'or "Output tensors of a Functional model" or "Found unexpected instance"')


def _first(m: Machine, node: ast.Call, args: Sequence[Any], used: str, error: str) -> None:
    """The first argument is None, or a list in which one is."""
    if not node.args or not args:
        return
    written, given = node.args[0], plain(args[0])
    if args[0] is None:
        tell(m, written, node, used, error)
    elif isinstance(written, ast.List | ast.Tuple) and isinstance(given, tuple | ListV):
        items = given.items if isinstance(given, ListV) else given
        for part, item in zip(written.elts, items, strict=False):
            if item is None and not isinstance(part, ast.Starred):
                tell(m, part, node, f"among {used}", error)
                return


def tell_of_given_back(m: Machine, function: Any, made: Any, used: str, error: str, span: Span) -> None:
    """A function that the library calls for what it returns: a loss, what is mapped over data, a model's call()."""
    value = plain(function)
    held = value.function if isinstance(value, BoundV) else value
    if made is None and isinstance(held, FunctionV) and returns_nothing(held) and is_certain(m):
        name = f"{held.owner.name}.{held.name}" if held.owner is not None else held.name
        _refuse(m, Nothing(name, f"end {name}() with a return"), span, used, error)


def tell_of_chain(m: Machine, layer: Any, after: Any, span: Span | None) -> None:
    """A layer of the program's own in a sequential model, whose call() gave None, and the layer after it."""
    held, following = plain(layer), plain(after)
    fails, name = False, ""
    if isinstance(following, LayerV):
        fails, name = following.path.rpartition(".")[2] not in PASSING and following.user is None, following.display
    elif isinstance(following, InstanceV):
        fails, name = _needs_input(following), following.cls.name
    if fails and isinstance(held, InstanceV) and (at := span or held.span) is not None:
        tell_of_given_back(m, _forward(held), None, f"the input of {name}", OF_LAYER, at)


def _forward(layer: InstanceV) -> Any:
    return plain(layer.cls.lookup("call")) or plain(layer.cls.lookup("forward"))


def _needs_input(layer: InstanceV) -> bool:
    """Whether its call() or forward() takes an input that has no default."""
    method = _forward(layer)
    return isinstance(method, FunctionV) and len(method.node.args.args) > 1 + len(method.node.args.defaults)


def tell(m: Machine, held: ast.expr, node: ast.AST, used: str, error: str) -> None:
    """`held` is an expression that is None, which `node` uses."""
    nothing = source_of(m, held)
    if nothing is not None and is_certain(m):
        _refuse(m, nothing, m.span(node), used, error)


def _refuse(m: Machine, nothing: Nothing, span: Span, used: str, error: str) -> None:
    refuse(m, span, Mismatch(
        Problem.NOTHING, f"{nothing.name}() returns {nothing.what}, and what it returns is {used}",
        help=nothing.help, error=error, where=nothing.where, facts=(("given by", nothing.call),)), what=nothing.name)
