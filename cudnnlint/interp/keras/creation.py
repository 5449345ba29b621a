"""Layers made: a constructor's arguments bound and checked, each kind of call once."""

from __future__ import annotations

import ast
import marshal
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

from cudnnlint.events import LayerCreated, LayerInfo, Rejected
from cudnnlint.interp.binding import Bound, bind_spelling, signature
from cudnnlint.interp.convert import strip
from cudnnlint.interp.devices import hidden
from cudnnlint.interp.keras.dim_order import note_order
from cudnnlint.interp.keras.layer_names import refuse_slash
from cudnnlint.interp.keras.layer_policy import policy_of
from cudnnlint.interp.keras.layers import LayerV, snake
from cudnnlint.interp.keras.own_names import names_its_own
from cudnnlint.interp.keras.resting import shaping
from cudnnlint.interp.keras.spelled_out import spelled_out
from cudnnlint.interp.limits import LAYER_STEPS
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.changes import outlived
from cudnnlint.interp.mistakes.nearly_named import SHAPELESS, meant
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.named import tell_of_named
from cudnnlint.interp.uncalled.left_open import is_left_open
from cudnnlint.ops.given_names import misnamed
from cudnnlint.ops.protocol import BASE_ARGUMENTS, LAYERS, LayerCall
from cudnnlint.ops.whole import fractional
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Stack, Unknown, Where

CONTINUABLE = frozenset({Problem.UNKNOWN_ARGUMENT})
"""Constructor problems after which the layer's shape is still what the rest of the program means."""


KERAS_1 = frozenset({"W_constraint", "W_regularizer", "b_constraint", "b_regularizer", "bias", "border_mode",
                     "beta_init", "consume_less", "dim_ordering", "filter_length", "gamma_init", "init", "inner_init",
                     "kernel_dim1", "kernel_dim2", "kernel_dim3", "mode", "nb_col", "nb_filter", "nb_row", "output_dim",
                     "p", "pool_length", "sigma", "subsample", "subsample_length"})

OF_KERAS_1 = KERAS_1 - {"bias", "mode", "output_dim", "p", "sigma"}
"""Those that can be nothing else."""
RESPELLED = {"border_mode": "padding", "subsample": "strides"}
"""Those that decide on shapes and take the same values under another name."""
CONVERTING = Where(keras="<2.4")
"""The keras package that takes them (2.3's keras/legacy/interfaces.py)."""


WINDOWS = {"Conv2D": 2, "Convolution2D": 2, "Conv3D": 3, "Convolution3D": 3}
"""Layers whose window Keras 1 took as so many arguments."""


def converts(c: Call, stack: Stack) -> bool:
    """Whether it is the keras package that takes the spelling of Keras 1; the tf.keras of those years did not."""
    written = str(getattr(plain(c.callee), "written", ""))
    return CONVERTING.holds(stack) and not written.startswith(("tensorflow", "tf_"))


def windowed(path: str, args: list[Any]) -> list[Any]:
    """`Conv2D(32, 3, 3)` as Keras until 2.3 reads it: a window of 3 by 3 (keras/legacy/interfaces.py:
    conv2d_args_preprocessor, conv3d_args_preprocessor).

    >>> windowed("keras.layers.Conv2D", [32, 3, 3]), windowed("keras.layers.Conv2D", [32, (3, 3), 2])
    ([32, (3, 3)], [32, (3, 3), 2])
    """
    extents = WINDOWS.get(path.rpartition(".")[2], 0)
    if extents and len(args) == extents + 1 and all(isinstance(size, int) for size in args[1:]):
        return [args[0], tuple(args[1:])]
    return args


def is_converted(path: str, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether it is spelled as for Keras 1."""
    if not path.startswith("keras.layers."):
        return False
    positional = "Conv" in path and len(args) > 2 and isinstance(args[2], int)
    return positional or bool(spelled_for_keras_1(path, kwargs))


def spelled_for_keras_1(path: str, given: Iterable[str]) -> list[str]:
    """Those of the arguments that the layer has lost; Embedding still has its output_dim, RandomFlip a mode.

    >>> spelled_for_keras_1("keras.layers.Dense", ["output_dim"])
    ['output_dim']
    >>> spelled_for_keras_1("keras.layers.Embedding", ["output_dim"])
    []
    """
    old = KERAS_1.intersection(given)
    return sorted(old.difference(*signature(LAYERS[path].builder)[:2])) if old else []


class Prepared:
    """A constructor call as far as its arguments tell: what they bind to, and the op that they configure.

    outcomes  what the op gave for inputs met so far; None where the op holds more than plain values
    """

    def __init__(self, path: str, args: list[Any], kwargs: dict[str, Any], stack: Stack, data_format: Any,
                 outcomes: dict[Any, Any] | None, *, older: bool = False) -> None:
        self.path, self.stack, self.outcomes = path, stack, outcomes
        base = None if path.startswith("torch.") else BASE_ARGUMENTS
        self.bound = Unknown("spelled as for Keras 1") if older and is_converted(path, args, kwargs) \
            else bind_spelling(LAYERS[path], args, kwargs, stack, base)
        if isinstance(self.bound, Bound) and self.bound.arguments.get("data_format", 0) is None:
            self.bound.arguments["data_format"] = data_format
        if isinstance(self.bound, Bound) and path.startswith("keras.layers."):
            for old, new in RESPELLED.items():  # which is refused, and tells what is meant all the same
                if old in kwargs and new in self.bound.arguments and new not in self.bound.given \
                        and kwargs[old] != "full":
                    self.bound.arguments[new] = kwargs[old]

    @cached_property
    def op(self) -> Any:
        """A LayerOp, Unknown, or the Mismatch of a constructor that raises."""
        return LAYERS[self.path].builder(**self.bound.arguments)  # type: ignore[union-attr]

    @cached_property
    def named(self) -> dict[str, Any]:
        """The arguments that may be names of something."""
        bound: Any = self.bound
        return {**bound.arguments, "dtype": bound.base["dtype"]} if "dtype" in bound.base else bound.arguments

    @cached_property
    def texts(self) -> bool:
        """Whether some argument is a name that may be none."""
        return any(True for _ in misnamed(self.path, self.named, own=False))

    @cached_property
    def refused(self) -> tuple[Mismatch, ...]:
        """What the constructor refuses on some stack."""
        if isinstance(self.op, Unknown):
            return ()
        if isinstance(self.op, Mismatch):
            return (self.op,)
        return *fractional(self.path, self.bound.arguments, self.bound.base), *self.op.check(self.stack)  # type: ignore[union-attr]


@lru_cache(maxsize=2048)
def _plainly_prepared(path: str, arguments: bytes, stack: Stack, data_format: Any, older: bool) -> Prepared:
    args, kwargs = marshal.loads(arguments)
    return Prepared(path, args, kwargs, stack, data_format, {}, older=older)


def prepare(m: Machine, path: str, args: list[Any], kwargs: dict[str, Any], *, older: bool = False) -> Prepared:
    """Equal calls on plain values, of which models have hundreds, share one."""
    data_format = m.state.get("image_data_format")
    try:
        key = marshal.dumps((args, kwargs), 2)  # tells 1 from True and 1.0, and refuses what is not plain
        return _plainly_prepared(path, key, m.stack, data_format, older)
    except (ValueError, TypeError):
        return Prepared(path, args, kwargs, m.stack, data_format, None, older=older)


def create_layer(m: Machine, path: str, c: Call) -> Any:
    """Run a builtin layer's constructor."""
    made = build_op(m, path, c)
    if made is None:
        return Unknown(f"{path}() fails")
    if isinstance(made, LayerV):
        if path.startswith("torch."):  # made with its weights, and in training mode
            made.weights, made.mode = made.op.weights(LayerCall(Unknown("no input yet"), stack=m.stack)), True
            tell_of_named(m, c.kwargs, c.node)
        m.say(LayerCreated, made.span, assumptions=made.assumptions, layer=made.info(), hidden=hidden(m))
        if made.assumptions:
            made.assumptions = shaping(c, path)
    return made


OF_TF_LAYERS = frozenset({"_reuse", "_scope"})
"""What classes of tf.layers take besides (tensorflow/python/keras/legacy_tf_layers/base.py: Layer.__init__)."""


def _is_of_tf_layers(callee: Any) -> bool:
    written = getattr(plain(callee), "written", "")
    return isinstance(written, str) and written.startswith("tensorflow.") and ".keras." not in written


def build_op(m: Machine, path: str, c: Call, *, shared: bool = False) -> LayerV | Unknown | None:
    """Bind and check constructor arguments; None when the constructor certainly raises.

    shared  other classes follow in the method resolution order and may take the arguments that this one does not know
    """
    span = c.span
    _note_made(m, span)
    found: set[Any] = set()
    args = [strip(arg, found) for arg in c.args]
    kwargs = {key: strip(value, found) for key, value in c.kwargs.items()}
    named = {key: kwargs.pop(key) for key in ("name",) if key in kwargs}  # the same layer under another name
    prepared = _prepared(m, path, c, args, kwargs)
    if isinstance(prepared, Unknown):
        return prepared
    bound = prepared.bound
    if isinstance(bound, Unknown):
        return bound
    given = bound.given | named.keys()
    what = path.rpartition(".")[2]

    def info() -> LayerInfo:
        return LayerInfo(path=path, name=what, span=span, arguments=bound.arguments, given=given, positional=len(args),
                         base=bound.base)

    problems = tuple(problem for problem in bound.problems
                     if not shared or problem.problem is not Problem.UNKNOWN_ARGUMENT)
    for problem in problems:
        if not (_left_open(c, problem, bound.arguments) or _passed_on(c, problem)):
            m.say(Rejected, span, about=[], assumptions=frozenset(found), what=what, layer=info(),
                  mismatch=spelled_out(c, problem, bound.arguments), stage="constructor")
    if problems and any(problem.problem not in CONTINUABLE for problem in problems):
        return None
    for name in meant(problems, bound.arguments, given) if problems else ():
        if not SHAPELESS.fullmatch(name):
            return Unknown(f"a {what} whose {name} is misspelt")
        if name == "activation":  # by which losses judge what the layer gives
            bound.arguments[name] = Unknown("an activation that is misspelt")
    try:
        op, refused = prepared.op, prepared.refused
    except Exception as error:  # our own bug must not end the run
        return m.crash(path, error, span)
    if isinstance(op, Unknown):
        return op
    failed = [problem for problem in refused if _left_open(c, problem, bound.arguments)
              or (problems and bound.arguments.get(problem.argument, 0) is None)  # it is given under an unknown name
              or refuse(m, span, spelled_out(c, problem, bound.arguments), assumptions=frozenset(found), what=what,
                        layer=info(), stage="constructor")]
    if isinstance(op, Mismatch) or any(problem.otherwise is None for problem in failed):
        return None
    for wrong in misnamed(path, prepared.named, names_its_own(m)) if prepared.texts else ():
        if not _left_open(c, wrong, bound.arguments):
            refuse(m, span, wrong, assumptions=frozenset(found), what=what, layer=info(), stage="constructor")
    layer = _made(m, c, prepared, bound, named)
    layer.assumptions = frozenset(found) | m.frame.control
    if layer.named and not shared and not is_left_open(c.kwargs["name"]) and not _is_of_tf_layers(c.callee):
        refuse_slash(m, layer, layer.name)
    return layer


def _made(m: Machine, c: Call, prepared: Prepared, bound: Bound, named: dict[str, Any]) -> LayerV:
    """The layer that a constructor makes of arguments that fit; `named` holds its name, if it is given one."""
    path, name = prepared.path, named.get("name")
    layer = LayerV(path, name if isinstance(name, str) else m.unique_name(snake(path.rpartition(".")[2])), c.span,
                   prepared.op, bound.arguments, bound.given | named.keys(), {**bound.base, **named},
                   policy_of(m, bound.base.get("dtype")))
    layer.outcomes, layer.positional, layer.named = prepared.outcomes, len(c.args), isinstance(name, str)
    layer.twice = _gives_twice(c.node)
    return layer


def _gives_twice(node: ast.AST) -> bool:
    """Whether the second and the third argument by position are one variable, as in Conv2D(64, patch, patch)."""
    written = node.args[1:3] if isinstance(node, ast.Call) else []
    return len(written) == 2 and isinstance(written[0], ast.Name | ast.Attribute) \
        and ast.dump(written[0]) == ast.dump(written[1])


def _note_made(m: Machine, span: Span) -> None:
    m.created += 1
    if m.recording is not None:
        m.recording.sites.add(span)
    if span not in m.sites:
        m.sites.add(span)
        m.novel(layer=True)
    m.tick(LAYER_STEPS)


def _prepared(m: Machine, path: str, c: Call, args: list[Any], kwargs: dict[str, Any]) -> Prepared | Unknown:
    """The arguments bound to the layer's signature, as the version reads them that they are spelled for."""
    if OF_TF_LAYERS & kwargs.keys() and _is_of_tf_layers(c.callee):
        kwargs = {key: value for key, value in kwargs.items() if key not in OF_TF_LAYERS}
    if c.span.path != m.linted and OF_KERAS_1 & kwargs.keys() and path.startswith("keras.layers."):
        return Unknown("spelled as for Keras 1")  # the module is linted itself, for what it is for
    older = converts(c, m.stack)
    if m.stack.implied and older and "input_shape" in kwargs:
        note_order(m, kwargs["input_shape"])
    prepared = prepare(m, path, windowed(path, args) if older else args, kwargs, older=older)
    if isinstance(prepared.bound, Unknown) and m.stack.implied and (old := spelled_for_keras_1(path, kwargs)):
        outlived(m, "spelling", path, old[0], CONVERTING, c.node)
    return prepared


OF_NOTHING = ("items", "list")
"""What loops go through that may be empty, so that nothing is made: a part of a configuration, given with None for all
that belongs to it."""


def _left_open(c: Call, problem: Mismatch, arguments: dict[str, Any]) -> bool:
    """Whether what is refused is a default in whose place who makes the layer gives another value, or None where a
    loop may have no turns."""
    name = problem.argument
    held = arguments.get(name, 0)
    told = held >= 0 if isinstance(held, int | float) and held else held
    if held is None and any(isinstance(loop.turns, Unknown) and loop.over in OF_NOTHING for loop in c.machine.loops):
        return True
    return any(map(is_left_open, [c.kwargs[name]] if name in c.kwargs else [] if told else c.args))


def _passed_on(c: Call, problem: Mismatch) -> bool:
    """Whether it hangs on what **kwargs brings: of a function that nothing calls, or that tests what it makes of it."""
    m, written = c.machine, getattr(c.node, "keywords", ())
    if all(keyword.arg is not None for keyword in written):
        return False
    if problem.problem is Problem.MISSING_ARGUMENT:
        return m.uncalled
    return (problem.problem is Problem.UNKNOWN_ARGUMENT and m.uncertain > m.frame.uncertain
            and all(keyword.arg != problem.argument for keyword in written))
