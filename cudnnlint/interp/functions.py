"""Library functions that ops model: their arguments bound, their result settled and told."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.events import FunctionApplied, tensors
from cudnnlint.interp.backends import promotes
from cudnnlint.interp.binding import bind_spelling
from cudnnlint.interp.builtin.several import COUNTS, JOINING, TAKING, agreed, of_length, open_lists
from cudnnlint.interp.convert import as_given, strip, wrap
from cudnnlint.interp.devices import STARTING, start
from cudnnlint.interp.graphs.open_extents import AMOUNTS, SHAPES, refuse_argument
from cudnnlint.interp.graphs.placeholders import refuse_in_numpy
from cudnnlint.interp.graphs.sessions import applied
from cudnnlint.interp.graphs.static_shapes import SEEN_IN_PART, seen
from cudnnlint.interp.graphs.symbolic import BACKEND, refuse_symbolic
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.loops.kept import TAPES
from cudnnlint.interp.loops.some_turn import is_of_some_turn
from cudnnlint.interp.loops.turns import in_graph
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.mistakes.misgiven import tell_of_misgiven, tell_of_scalar
from cudnnlint.interp.placing import place
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.several import parts_of
from cudnnlint.interp.torch.histories import PAUSED, paused
from cudnnlint.interp.torch.named import tell_of_named
from cudnnlint.interp.torch.numpy_names import by_torch_names
from cudnnlint.interp.uncalled.left_open import extents_in, has_left_open, is_left_open
from cudnnlint.ops.misgiven import misgiven
from cudnnlint.ops.misgiven_torch import EMPTIED
from cudnnlint.ops.protocol import FUNCTIONS, Spelling
from cudnnlint.ops.whole import small_in_graph
from cudnnlint.source import Span
from cudnnlint.values import Assumed, Mismatch, Problem, Tensor, Unknown, is_floating
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.unknown import OneOf, SomeFloat

LISTENED = ("tensorflow.nn.", "keras.ops.", "tensorflow.compat.v1.nn.")
"""Functions whose success rules care about."""
PRODUCTS = frozenset({"tensorflow.matmul", "tensorflow.linalg.matmul", "tensorflow.einsum", "operator.@",
                      "torch.matmul", "torch.bmm", "torch.baddbmm", "torch.einsum"})
"""Those of which rules are told for the size of what they give."""
CASTING = frozenset({"operator.@", *(f"torch.{name}" for name in (
    "matmul", "mm", "bmm", "addmm", "baddbmm", "einsum", "tensordot"))})
"""Products of PyTorch, whose factors autocast brings to one dtype (aten/src/ATen/autocast_mode.h: lower precision)."""
OF_TENSORS = ("torch.nn.functional.", "torch.relu", "torch.sigmoid", "torch.tanh", "torch.softmax", "torch.flatten")
"""Beginnings of functions whose first argument is a tensor, never a module."""
SOUND = (Tensor, Unknown)
"""Kinds of what they are mostly given."""
FOREIGN = ("tensorflow.", "numpy.")
"""Functions that take no symbolic tensors of Keras 3."""
DIFFERENCES = frozenset({"operator.-", "tensorflow.subtract", "tensorflow.math.subtract",
                         "tensorflow.math.squared_difference"})
"""Those that compare, of which rules are told where a column meets a row."""
EXTREMES = frozenset({"numpy.argmax", "tensorflow.argmax", "tensorflow.math.argmax", "keras.ops.argmax",
                      "keras.backend.argmax", "torch.argmax"})
"""Those that choose a place, of which rules are told where there is only one."""
FLOORS = frozenset({"operator.+", "tensorflow.add", "tensorflow.math.add", "tensorflow.maximum",
                    "tensorflow.math.maximum", "keras.ops.add", "keras.ops.maximum"})
"""Those that keep a divisor from zero, of which rules are told where float16 makes nothing of the number."""

FAILS = object()


def apply_function(m: Machine, path: str, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """Call a registered function over abstract arguments; a Mismatch becomes an event and Unknown."""
    spelling = FUNCTIONS.get(path)
    if spelling is None:
        return Unknown(f"{path}()")
    if open_lists(args, kwargs) and path.rpartition(".")[2] in TAKING and not path.startswith("torch."):
        return _of_any_length(m, spelling, args, kwargs, node)
    span = m.span(node)
    found: set[Any] = set()
    values = [strip(arg, found) for arg in args]
    named = {key: strip(value, found) for key, value in kwargs.items()}
    if named and path.startswith("torch."):
        named = by_torch_names(spelling, tell_of_named(m, named, node))
    bound = bind_spelling(spelling, values, named, m.stack)
    if isinstance(bound, Unknown):
        return bound
    if bound.problems:
        tell_of_misgiven(m, path, display(path), bound.problems, node, values, named)
        return Unknown(f"{path}() with arguments that it does not have")
    try:
        outcome = _outcome(m, path, spelling, bound.arguments)
    except Exception as error:  # our own bug must not end the run
        return m.crash(path, error, span)
    if outcome is FAILS:
        return Unknown(f"{path}() that fails")
    if values and type(values[0]) not in SOUND and path.startswith(OF_TENSORS) \
            and next(iter(bound.arguments)) == "input":
        _tell_of_module(m, path, values[0], span)
    if isinstance(outcome, Mismatch):
        if _of_callers(m, outcome, args, kwargs):
            outcome = Unknown("what the caller gives")
        elif outcome.problem is Problem.INDEX and is_of_some_turn(m, node):
            outcome = Unknown("an element in some turns of a loop")
    outcome = settle(m, path, outcome, values, named, span, frozenset(found))
    _refuse_as_given(m, path, bound.arguments, values, named, node)
    if path in SEEN_IN_PART and (m.symbolic or any(tensor.kind == "keras" for tensor in tensors(values[:1]))):
        outcome = seen(m, path, outcome, bound.arguments)
    if AUTOCAST in m.state and path.startswith(("torch.", "operator.@")):
        outcome = undtyped(outcome)
    if m.loops:
        applied(m, path, outcome, span)
    if type(outcome) is OneOf:
        outcome = parts_of(outcome)
    if isinstance(outcome, Unknown) and outcome.number and not path.startswith("numpy.random."):
        return Unknown(outcome.why)  # a tensor, whatever it was made of
    _touch_devices(m, path, span)
    parents = tensors([*values, *named.values()])
    if isinstance(outcome, Tensor) and _is_listened_to(m, path, outcome, parents, values):
        m.say(FunctionApplied, span, about=parents, path=path, arguments=bound.arguments, output=outcome,
              taped=bool(m.state.get(TAPES)))
    taken = frozenset(found)
    placed = place(path, outcome, parents, as_given(args, kwargs), span, taken)
    if len(parents) > 1 and m.state.get(PLACED) and _apart(m, path, parents, bound.arguments, span):
        return Unknown("tensors on two devices")
    if PAUSED in m.state and path.startswith(("torch.", "operator.")):
        paused(m, placed)
    return assume(wrap(placed), taken)


def _outcome(m: Machine, path: str, spelling: Spelling, arguments: dict[str, Any]) -> Any:
    """What the function makes of its arguments, or the Mismatch; FAILS where the program asks whether it does."""
    if arguments.get("data_format", 0) is None and "image_data_format" in m.state:
        arguments["data_format"] = m.state["image_data_format"]
    if AUTOCAST in m.state and path in CASTING:
        arguments.update(undtyped(arguments))
    wrong = misgiven(path, arguments)
    if wrong is not None and in_graph(m) and (small := small_in_graph(path, arguments.get("shape"))):
        wrong, arguments["shape"] = None, small
    if wrong is not None and (m.trying or m.handlers):
        return FAILS
    return wrong or spelling.builder(**arguments)


def _tell_of_module(m: Machine, path: str, given: Any, span: Span) -> None:
    from cudnnlint.interp.torch.tuples_given import tell_of_given_in

    tell_of_given_in(m, path, given, span)


def _is_listened_to(m: Machine, path: str, outcome: Tensor, parents: tuple[Tensor, ...],
                    values: Sequence[Any]) -> bool:
    """Whether rules look at what was made so."""
    return path.startswith(LISTENED) or path in PRODUCTS \
        or (path in DIFFERENCES and _crossed(parents)) \
        or (path in FLOORS and _vanishes(outcome, values)) \
        or (path in EXTREMES and not m.tested and _single(parents)) \
        or (path == "operator.+" and bool(m.loops) and bool(m.state.get(TAPES)))


def _of_callers(m: Machine, mismatch: Mismatch, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether it is a default that does not fit, in whose place a caller gives something: None, an extent that is none,
    what is empty, or a text where a function takes an array."""
    if mismatch.problem is Problem.NON_POSITIVE:
        return any(map(has_left_open, (*args, *kwargs.values())))
    if mismatch.fact(EMPTIED):
        return not is_certain(m) or bool(m.frame.control)
    held = [kwargs[mismatch.argument]] if mismatch.argument in kwargs else args if mismatch.argument else ()
    if any(plain(value) is None and is_left_open(value) for each in held for value in extents_in(each)):
        return True  # be it of a command line: who runs it gives something
    return m.uncalled and ((mismatch.problem is Problem.INDEX and mismatch.fact("size") == 0) or (
        bool(args) and isinstance(args[0], Assumed) and isinstance(args[0].value, str)))


def _refuse_as_given(m: Machine, path: str, arguments: dict[str, Any], values: list[Any], named: dict[str, Any],
                     node: ast.AST) -> None:
    """Tell what is refused because of what the tensors and numbers are, whatever is computed of them."""
    if m.stack.keras >= (3,) and (path.startswith(FOREIGN) or (path.startswith(BACKEND) and _is_of_tf(m, node))):
        refuse_symbolic(m, path, values, named, display(path), m.span(node))
    if m.placeholders and path.startswith("numpy.") and not _is_method(node, values):
        refuse_in_numpy(m, path, [*values, *named.values()], display(path), m.span(node))
    if path == "tensorflow.reshape":
        tell_of_scalar(m, arguments["shape"], values, node)
    if path in SHAPES or path in AMOUNTS:
        refuse_argument(m, path, arguments, node, display(path))


def _is_of_tf(m: Machine, node: ast.AST) -> bool:
    """Whether it is a function of tf.keras.backend, not of Keras 3's own keras.backend, which has none of these."""
    holder = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return isinstance(holder, ast.Name) and getattr(plain(m.eval(holder)), "written", "").startswith("tensorflow.")


def _is_method(node: ast.AST, values: list[Any]) -> bool:
    """Whether `x.sum(1)` goes by the name of NumPy's function: some libraries' tensors have such a method."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(values) == len(node.args) + 1


def _touch_devices(m: Machine, path: str, span: Span) -> None:
    """What makes TensorFlow take hold of the devices, or a variable inside a function that it traces."""
    if path in STARTING:
        start(m, span)
    if m.bodies and path == "tensorflow.Variable":
        from cudnnlint.interp.graphs.bodies import variable_made

        variable_made(m, span, "a variable")


def _of_any_length(m: Machine, spelling: Spelling, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """A function of a list of unknown length: nothing is told of what it refuses."""
    path, found, outcomes = spelling.path, set[Any](), []
    joining = path.rpartition(".")[2] in JOINING
    for count in COUNTS:
        values = [of_length(arg, count, found, joining=joining) for arg in args]
        named = {key: of_length(value, count, found, joining=joining) for key, value in kwargs.items()}
        bound = bind_spelling(spelling, values, named, m.stack)
        if isinstance(bound, Unknown) or bound.problems:
            return Unknown(f"{path}() of a list of unknown length")
        try:
            outcomes.append(spelling.builder(**bound.arguments))
        except Exception as error:  # our own bug must not end the run
            return m.crash(path, error, m.span(node))
    parents = tuple(dict.fromkeys(tensors([*(plain(arg).typical() if isinstance(plain(arg), ListV) else strip(arg)
                                             for arg in args)])))
    taken = frozenset(found)
    made = place(path, agreed(outcomes), parents, as_given(args, kwargs), m.span(node), taken)
    return assume(made, taken)


def _crossed(parents: tuple[Tensor, ...]) -> bool:
    """(n, 1) and (n,), which broadcast to (n, n)."""
    shapes = sorted([tensor.shape for tensor in parents if isinstance(tensor.shape, tuple)], key=len)
    return len(parents) == 2 and [len(shape) for shape in shapes] == [1, 2] and shapes[1] == (shapes[0][0], 1) \
        and shapes[0] != (1,)


def _single(parents: tuple[Tensor, ...]) -> bool:
    """Whether the last axis has one element."""
    return bool(parents) and isinstance(parents[0].shape, tuple) and parents[0].shape[-1:] == (1,)


def _vanishes(outcome: Tensor, values: Sequence[Any]) -> bool:
    """A number other than 0 that becomes 0 as the operand beside it is of float16: half of its smallest number and
    less (IEEE 754)."""
    return outcome.dtype == "float16" and outcome.kind != "numpy" \
        and any(isinstance(value, float) and 0 < abs(value) <= 2.0 ** -25 for value in values)


HANDLED = "an exception is handled"
"""Among the conditions of a handler that is come to where something failed: its dtypes may not be those seen there."""
AUTOCAST = "torch.autocast"
"""Key of whether PyTorch chooses the dtype of each operation anew."""
PLACED = "torch.placed"
"""Key of whether the program moved a module to a GPU; False once something else moves what it is given."""
ON_GPU = "cuda"
"""Its value where it certainly does so on a GPU."""


def _apart(m: Machine, path: str, given: tuple[Tensor, ...], arguments: dict[str, Any], span: Span) -> bool:
    from cudnnlint.interp.torch.places import COUNTED, MIXED, tell_of_both, tell_of_lengths, watches

    if path == COUNTED and watches(m):
        return tell_of_lengths(m, arguments.get("lengths"), span)
    return path in MIXED and watches(m) and tell_of_both(m, display(path), list(given), span, numbers=True)


def undtyped(value: Any) -> Any:
    """The same tensors, floats of a dtype that nobody knows; whole numbers and bools stay what they are."""
    if isinstance(value, Tensor):
        floats = is_floating(value.dtype)
        return value if floats is False else value.with_(
            dtype=SomeFloat("chosen by autocast") if floats else Unknown("chosen by autocast"))
    if isinstance(value, (list, tuple)):
        return type(value)(undtyped(item) for item in value)
    return {key: undtyped(item) for key, item in value.items()} if isinstance(value, dict) else value


def settle(m: Machine, path: str, outcome: Any, values: list[Any], named: dict[str, Any], span: Span,
           assumptions: Assumptions = NONE) -> Any:
    """Report a Mismatch that holds on this stack and go on with what the program would get."""
    if isinstance(outcome, Mismatch):
        if outcome.problem is Problem.DTYPE and (promotes(m, path) or HANDLED in m.conditions):
            return Unknown("dtypes that are promoted, or others where the program comes here")
        inputs = [*values, *named.values()]
        refuse(m, span, outcome, about=tensors(inputs), assumptions=assumptions, what=display(path), inputs=inputs,
               path=path, args=tuple(values), kwargs=named)
        return outcome.otherwise if outcome.otherwise is not None else Unknown(f"{path}() fails")
    return outcome


def display(path: str) -> str:
    """`tensorflow.nn.conv2d` as people write it."""
    head, _, tail = path.partition(".")
    return {"tensorflow": "tf.", "numpy": "np.", "operator": ""}.get(head, head + ".") + tail
