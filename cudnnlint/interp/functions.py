"""Library functions that ops model: their arguments bound, their result placed in the program."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.events import FunctionApplied, tensors
from cudnnlint.interp.binding import bind_spelling
from cudnnlint.interp.convert import as_given, strip, wrap
from cudnnlint.interp.graphs import applied
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.histories import PAUSED, paused
from cudnnlint.interp.left_open import has_left_open
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import ClassV, FunctionV
from cudnnlint.interp.open_extents import AMOUNTS, SHAPES, refuse_argument
from cudnnlint.interp.placeholders import NUMPY_OF_TENSORFLOW, refuse_in_numpy
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.several import COUNTS, JOINING, TAKING, agreed, of_length, open_lists
from cudnnlint.interp.static_shapes import SEEN_IN_PART, seen
from cudnnlint.interp.symbolic import refuse_symbolic
from cudnnlint.ops.protocol import FUNCTIONS, Spelling
from cudnnlint.ops.whole import fractional_extent
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions

LISTENED = ("tensorflow.nn.", "keras.ops.", "tensorflow.compat.v1.nn.")
"""Functions whose success rules care about."""
FOREIGN = ("tensorflow.", "numpy.")
"""Functions that take no symbolic tensors of Keras 3."""
DIFFERENCES = frozenset({"operator.-", "tensorflow.subtract", "tensorflow.math.subtract",
                         "tensorflow.math.squared_difference"})
"""Those that compare, of which rules are told where a column meets a row."""


FLOORS = frozenset({"operator.+", "tensorflow.add", "tensorflow.math.add", "tensorflow.maximum",
                    "tensorflow.math.maximum", "keras.ops.add", "keras.ops.maximum"})
"""Those that keep a divisor from zero, of which rules are told where float16 makes nothing of the number."""


def make_function(m: Machine, node: Any, name: str, owner: ClassV | None = None) -> FunctionV:
    """A def or lambda, its defaults evaluated now."""
    arguments = node.args
    defaults = tuple(m.eval(default) for default in arguments.defaults)
    kw_defaults = {arg.arg: m.eval(default) for arg, default in
                   zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is not None}
    scope = m.frame.scope
    return FunctionV(name, node, scope, m.frame.module, defaults, kw_defaults, owner)


def is_generator(node: Any, source: Any) -> bool:
    """Whether a def is a generator; found once and kept on the node, and not looked for where no text says yield."""
    known: bool | None = getattr(node, "cudnnlint_yields", None)
    if known is None:
        said = source is None or (source.says("yield") and source.says("yield", node.lineno, node.end_lineno))
        known = node.cudnnlint_yields = said and _has_yield(node)
    return known


def yields(node: ast.AST) -> bool:
    """Whether a statement yields, other than in functions within."""
    return _has_yield(ast.Module([node], []))  # type: ignore[list-item]


def _has_yield(node: ast.AST) -> bool:
    stack: list[ast.AST] = list(getattr(node, "body", []))
    while stack:
        current = stack.pop()
        if isinstance(current, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(current))
    return False


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
    bound = bind_spelling(spelling, values, named, m.stack)
    if isinstance(bound, Unknown):
        return bound
    if bound.problems:  # signatures of functions differ between versions: nothing is claimed
        return Unknown(f"{path}() with arguments that are not modelled")
    if bound.arguments.get("data_format", 0) is None and "image_data_format" in m.state:
        bound.arguments["data_format"] = m.state["image_data_format"]
    try:
        outcome = fractional_extent(path, bound.arguments) or spelling.builder(**bound.arguments)
    except Exception as error:  # our own bug must not end the run
        return m.crash(path, error, span)
    if isinstance(outcome, Mismatch) and outcome.problem is Problem.NON_POSITIVE \
            and any(map(has_left_open, (*args, *kwargs.values()))):
        outcome = Unknown("an extent that the caller gives")
    outcome = settle(m, path, outcome, values, named, span, frozenset(found))
    if path.startswith(FOREIGN) and m.stack.keras >= (3,):
        refuse_symbolic(m, path, values, named, display(path), span)
    if m.placeholders and path.startswith("numpy."):
        refuse_in_numpy(m, path, [*values, *named.values()], display(path), span)
    if path in SHAPES or path in AMOUNTS:
        refuse_argument(m, path, bound.arguments, node, display(path))
    if path in SEEN_IN_PART and (m.symbolic or any(tensor.kind == "keras" for tensor in tensors(values[:1]))):
        outcome = seen(path, outcome, bound.arguments)
    if AUTOCAST in m.state and path.startswith(("torch.", "operator.@")):
        outcome = undtyped(outcome)
    if m.loops:
        applied(m, path, outcome, span)
    if isinstance(outcome, Unknown) and outcome.number and not path.startswith("numpy.random."):
        return Unknown(outcome.why)  # a tensor, whatever it was made of
    if path in STARTING:
        start(m, span)
    if m.bodies and path == "tensorflow.Variable":
        from cudnnlint.interp.bodies import variable_made

        variable_made(m, span, "a variable")
    parents = tensors([*values, *named.values()])
    if isinstance(outcome, Tensor) and (path.startswith(LISTENED) or (path in DIFFERENCES and _crossed(parents))
                                        or (path in FLOORS and _vanishes(outcome, values))):
        m.say(FunctionApplied, span, about=parents, path=path, arguments=bound.arguments, output=outcome)
    taken = frozenset(found)
    placed = place(path, outcome, parents, as_given(args, kwargs), span, taken)
    if PAUSED in m.state and path.startswith(("torch.", "operator.")):
        paused(m, placed)
    return assume(wrap(placed), taken)


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


def _vanishes(outcome: Tensor, values: Sequence[Any]) -> bool:
    """A number other than 0 that becomes 0 as the operand beside it is of float16: half of its smallest number and
    less (IEEE 754)."""
    return outcome.dtype == "float16" and outcome.kind != "numpy" \
        and any(isinstance(value, float) and 0 < abs(value) <= 2.0 ** -25 for value in values)


DEVICES = "devices"
"""Key of what is known of the devices, in the global state."""
EAGER = "eager"
"""Key of the span that made TensorFlow take hold of the devices."""
HIDDEN = "hidden"
WITHIN = "within a function"
"""Key of whether that was in a function: it may come later than another that nothing calls."""
"""Key of the span that hid all GPUs from TensorFlow before it took hold of them."""


def hidden(m: Machine) -> Span | None:
    at = runtime(m).items.get(HIDDEN)
    return at if isinstance(at, Span) else None


STARTING = frozenset(f"tensorflow.{name}" for name in (
    "constant", "Variable", "zeros", "ones", "fill", "convert_to_tensor", "random.normal", "random.uniform"))
"""Functions that make tensors of plain values; called outside of a graph they make TensorFlow take hold of the GPUs."""


def runtime(m: Machine) -> DictV:
    """What is known of the devices, taken back and joined like everything on the heap."""
    table: DictV | None = m.state.get(DEVICES)
    if table is None:
        table = m.state[DEVICES] = DictV()
    return table


def start(m: Machine, span: Span) -> None:
    table = runtime(m)
    if m.recording is not None:
        m.recording.refused = True  # another time it may be the first to take hold of them
    if m.stack.tensorflow >= (2,) and not m.uncalled and m.phase == "symbolic" and EAGER not in table.items:
        m.set_item(table, EAGER, span)
        m.set_item(table, WITHIN, bool(m.calls))


AUTOCAST = "torch.autocast"
"""Key of whether PyTorch chooses the dtype of each operation anew."""


def undtyped(value: Any) -> Any:
    """The same tensors with dtypes that nobody knows."""
    if isinstance(value, Tensor):
        return value.with_(dtype=Unknown("chosen by autocast"))
    if isinstance(value, (list, tuple)):
        return type(value)(undtyped(item) for item in value)
    return {key: undtyped(item) for key, item in value.items()} if isinstance(value, dict) else value


def settle(m: Machine, path: str, outcome: Any, values: list[Any], named: dict[str, Any], span: Span,
           assumptions: Assumptions = NONE) -> Any:
    """Report a Mismatch that holds on this stack and go on with what the program would get."""
    if isinstance(outcome, Mismatch):
        if outcome.problem is Problem.DTYPE and NUMPY_OF_TENSORFLOW in m.state:  # it may promote tensors as NumPy does
            return Unknown("dtypes that are promoted")
        inputs = [*values, *named.values()]
        refuse(m, span, outcome, about=tensors(inputs), assumptions=assumptions, what=display(path), inputs=inputs,
               path=path, args=tuple(values), kwargs=named)
        return outcome.otherwise if outcome.otherwise is not None else Unknown(f"{path}() fails")
    return outcome


def display(path: str) -> str:
    """`tensorflow.nn.conv2d` as people write it."""
    head, _, tail = path.partition(".")
    return {"tensorflow": "tf.", "numpy": "np.", "operator": ""}.get(head, head + ".") + tail


def place(maker: Any, outcome: Any, parents: tuple[Tensor, ...], arguments: Any, span: Span,
          assumptions: Assumptions = NONE, body: Any = None) -> Any:
    """Set kind, step and assumptions of the tensors that `maker` (a path, a layer) made.

    arguments  (args, kwargs) as it received them; body the outcome, where it was made by following the program
    """
    if isinstance(outcome, Tensor):
        return _placed(outcome, kind_of(maker, parents), Step(span, parents, maker, arguments, (), body), assumptions)
    if not tensors(outcome):
        return outcome
    return _place_nested(outcome, kind_of(maker, parents), Step(span, parents, maker, arguments, (), body), assumptions)


def _placed(tensor: Tensor, kind: str, step: Step, assumptions: Assumptions) -> Tensor:
    return Tensor(tensor.shape, tensor.dtype, kind, tensor.content, step, tensor.assumptions | assumptions)


def _place_nested(value: Any, kind: str, step: Step, assumptions: Assumptions) -> Any:
    def inside(item: Any, key: Any) -> Any:
        return _place_nested(item, kind, replace(step, index=(*step.index, key)), assumptions)

    if isinstance(value, Tensor):
        return _placed(value, kind, step, assumptions)
    if isinstance(value, (list, tuple)):
        return type(value)(inside(item, i) for i, item in enumerate(value))
    if isinstance(value, dict):
        return {key: inside(item, key) for key, item in value.items()}
    return value


OF_ARRAYS = ("keras.utils.", "keras.preprocessing.", "keras.applications.")
"""Functions that make arrays, of tensors tensors."""
TO_ARRAYS = frozenset({"keras.ops.convert_to_numpy", "keras.backend.get_value", "keras.backend.eval"})
"""Functions that make arrays of tensors."""


def kind_of(maker: Any, parents: Sequence[Tensor]) -> str:
    """Symbolic inputs give symbolic results."""
    kinds = {parent.kind for parent in parents}
    if "keras" in kinds:
        return "keras"
    path = maker if isinstance(maker, str) else getattr(maker, "path", "")
    if path.startswith(("numpy.", "scipy.")) or path in TO_ARRAYS or (path.startswith(OF_ARRAYS) and "tf" not in kinds):
        return "numpy"
    if path.startswith(("operator.", "einops.")):
        return next((kind for kind in ("tf", "torch", "numpy") if kind in kinds), "tf")
    return "torch" if path.startswith("torch.") else "tf"
