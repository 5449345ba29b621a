"""The machine: evaluates expressions of a module and runs its statements over abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from cudnnlint.events import Event
from cudnnlint.interp.frames import Frame
from cudnnlint.interp.heap import NEXT, Delta, DictV, Heap, Raised, TableV
from cudnnlint.interp.limits import NAMES_A_STEP, Limits, OutOfBounds
from cudnnlint.interp.objects import ClassV, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.telling import TURNS, Telling
from cudnnlint.source import Span
from cudnnlint.values import Assumed, Stack, Tensor, Unknown, Where
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.packed import like
from cudnnlint.values.unknown import Unset

if TYPE_CHECKING:
    from cudnnlint.interp.graphs.bodies import Body
    from cudnnlint.interp.keras.layers import LayerV
    from cudnnlint.interp.keras.models import ModelV
    from cudnnlint.interp.keras.moulds import Mould
    from cudnnlint.interp.loops.turns import Loop, Origin
    from cudnnlint.interp.recording import Recording
    from cudnnlint.interp.wanted import Wanted

Evaluator = Callable[["Machine", Any], Any]
EVAL: dict[type[ast.AST], Evaluator] = {}
EXEC: dict[type[ast.AST], Callable[[Machine, Any], int]] = {}


def evaluates(*types: type[ast.AST]) -> Callable[[Evaluator], Evaluator]:
    """Register how an expression node is evaluated."""

    def decorate(function: Evaluator) -> Evaluator:
        EVAL.update(dict.fromkeys(types, function))
        return function

    return decorate


def executes(*types: type[ast.AST]) -> Callable[[Callable[[Machine, Any], int]], Callable[[Machine, Any], int]]:
    """Register how a statement node is executed; returns NEXT, BREAK, CONTINUE, RETURN or STOP."""

    def decorate(function: Callable[[Machine, Any], int]) -> Callable[[Machine, Any], int]:
        EXEC.update(dict.fromkeys(types, function))
        return function

    return decorate


WITHIN_TENSORFLOW = ("tensorflow.keras", "tf.keras", "tensorflow import keras", "tensorflow.python.keras")
"""How modules name the Keras that comes with TensorFlow."""


class Machine(Telling):
    """State of one analysis, which expressions and statements read and change.

    In slots: CPython remembers where an attribute is, unless its object has more than thirty in a dict or its class has
    a default for it (Python/specialize.c), and nothing is asked as often.
    """

    __slots__ = ("active", "again_left", "any_batch", "applied", "applying", "as_written", "bodies", "called",
                 "classes", "counters", "created", "direct", "doubts", "endings", "fed", "functions", "guards",
                 "handlers", "heap", "held", "instantiated", "limits", "loops", "met_new", "moulded",
                 "moulds", "notes", "novel_limit", "origins", "overrides", "own", "phase", "placeholders", "project",
                 "raised", "recording", "roots_left", "sites", "state", "step_limit", "steps", "symbolic", "tracing",
                 "training", "trying", "uncertain", "visited", "wanted", "watch")

    fed: tuple[Span, tuple[Tensor, ...]] | None
    """Where the outermost call() that is followed got its tensors, and these."""
    trying: int
    """How many try blocks with handlers are open."""
    held: int | None
    """The step limit that waits behind that of a turn of a loop which is to make layers at a place that is new."""
    symbolic: bool
    """Inside the call() of a layer that is applied to symbolic tensors."""
    training: Any
    direct: bool
    """Inside a layer that the program itself applies to values: what nobody says of training is as call() has it."""
    any_batch: bool
    """Inside fit(), a pipeline's function or a model that is built already: the batch at hand is one of many."""
    wanted: Wanted | None
    """What the command line supplies where the program leaves it open."""
    recording: Recording | None
    """What the constructor under way does, if it is to be told whether it would do the same again."""
    placeholders: tuple[Tensor, ...]
    """Inputs of the graphs under way, of which TensorFlow knows no values."""
    as_written: Where | None
    """On which versions Python runs the innermost of them, without AutoGraph."""
    watch: Callable[[Span, Any], None] | None
    """Told of every value that a statement assigns or `reveal_shape` is given."""

    def __init__(self, *, stack: Stack, emit: Callable[[Event], object], limits: Limits | None = None,
                 linted: str = "") -> None:
        super().__init__(stack, emit, linted)
        self.fed = self.held = self.wanted = self.recording = self.as_written = self.watch = None
        self.trying, self.phase, self.training, self.placeholders = 0, "symbolic", None, ()
        self.symbolic = self.direct = self.any_batch = False
        self.limits = limits or Limits()
        self.heap = Heap()
        self.active: dict[ast.AST, list[Frame]] = {}
        """Of each def or lambda, its activations under way, outermost first."""
        self.steps = self.tracing = self.uncertain = self.doubts = self.created = self.applied = 0
        """tracing: functions under way that build a graph. uncertain: forks that are open: what happens now may not
        happen. doubts: things met so far that might raise when the program runs: what follows a body without any is
        certain. created: layers made so far. applied: applications of layers and models begun so far."""
        self.step_limit = self.novel_limit = self.limits.steps
        self.again_left, self.roots_left = self.limits.again_total, self.limits.roots_total
        self.met_new = False
        self.state: dict[str, Any] = {}
        """Global framework state (dtype policy, floatx, image_data_format ...), by name."""
        self.notes: dict[str, dict[Any, Any]] = {}
        """What rules of the interpreter remember for themselves, by name; nothing that the program does hangs on it."""
        self.overrides: dict[str, Any] = {}
        """Library attributes that the program replaced."""
        self.project: Any = None
        self.guards: dict[str, frozenset[str]] = {}
        """Names of functions that were not called -> the assumptions on which that rests."""
        self.called: set[int] = set()
        """ids of the def nodes that were entered."""
        self.endings: dict[str, Callable[[], None]] = {}
        """Called when all of the program has been followed, by what left them."""
        self.origins: dict[int, Origin] = {}
        """Where models were made, by id."""
        self.bodies: list[Body] = []
        """Bodies under way that TensorFlow traces, outermost first."""
        self.loops: list[Loop] = []
        """Loops under way that Python itself runs, outermost first."""
        self.sites: set[Span] = set()
        """Where layers were made."""
        self.functions: dict[int, FunctionV] = {}
        self.classes: dict[int, ClassV] = {}
        self.instantiated, self.own = list[ClassV](), list["LayerV | ModelV | FunctionV | InstanceV"]()
        """Classes that have instances, which those of shared modules must not keep; and what this file made that leads
        back to itself: at the end it is to `let_go` of what it holds."""
        self.handlers: list[Sequence[ast.ExceptHandler]] = []
        """Of each open try, what it does about exceptions."""
        self.raised: list[list[Delta]] = []
        """Of each try block that is open, outermost first: what the paths that raise in it had changed."""
        self.counters: dict[str, int] = {}
        self.moulds, self.moulded = dict[Any, "Mould"](), set["Mould"]()
        """What constructors of layers made, by class and arguments; those made or used for this file."""
        self.visited: set[int] = set()
        """ids of the layers applied so far in the call() that is followed."""
        self.applying: list[int] = []
        """Those that are under way, by number, outermost first."""

    # -- evaluation ---------------------------------------------------------------------------------

    def tick(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > self.step_limit:
            raise OutOfBounds("step limit")

    def grant(self, steps: int) -> None:
        """What was just followed does not count."""
        self.step_limit += steps
        self.novel_limit += steps
        if self.held is not None:
            self.held += steps

    def novel(self, *, layer: bool) -> None:
        """A function or the place of a layer is met for the first time: what is followed now is worth all its steps."""
        self.met_new = True
        limit = self.novel_limit
        if self.held is not None:
            limit = max(limit, self.held)
            self.held = None if layer else limit
        if self.held is None:
            self.step_limit = max(self.step_limit, limit)

    def eval(self, node: ast.AST) -> Any:
        self.steps = steps = self.steps + 1
        if steps > self.step_limit:
            raise OutOfBounds("step limit")
        kind = type(node)
        if kind is ast.Name:  # most nodes are names and constants
            local, name = self.frames[-1].scope.items, node.id  # type: ignore[attr-defined]
            if name in local and type(found := local[name]) is not Unset:
                return found
            return EVAL[kind](self, node)
        if kind is ast.Constant:
            return node.value  # type: ignore[attr-defined]
        evaluate = EVAL.get(kind)
        if evaluate is None:
            return Unknown(f"{kind.__name__} expression")
        return evaluate(self, node)

    def run_block(self, body: Sequence[ast.stmt]) -> int:
        for statement in body:
            self.steps += 1
            if self.steps > self.step_limit:
                raise OutOfBounds("step limit")
            execute = EXEC.get(type(statement))
            if execute is None:
                continue
            code = execute(self, statement)
            if code != NEXT:
                return code
        return NEXT

    def fork(self, branches: Sequence[Callable[[], int]], condition: Any = None) -> int:
        """Run each branch from the state now and join what they leave; `condition` is what is not known."""
        frame = self.frame
        control = frame.control
        self.steps += len(frame.scope.items) // NAMES_A_STEP
        if self.recording is not None:
            self.recording.refused = True
        if not (isinstance(condition, Unknown) and condition.why.startswith(("training", TURNS))):
            self.tests_unknown()
        self.uncertain += 1
        self.conditions.append(getattr(condition, "why", ""))

        def restoring(branch: Callable[[], int]) -> Callable[[], int]:
            def run() -> int:
                frame.control = control
                try:
                    return branch()
                except Raised:
                    self.doubts += 1
                    raise
            return run

        try:
            return self.heap.fork([restoring(branch) for branch in branches], frame.pendings, lambda: frame.value,
                                  turns=getattr(condition, "why", "") == TURNS,
                                  raised=self.raised[-1] if self.raised else None)
        finally:
            frame.control = control
            self.uncertain -= 1
            self.conditions.pop()

    def tests_unknown(self) -> None:
        """The functions under way test something that is not known."""
        for active in self.frames:
            active.forked = True

    def note(self, node: ast.AST, value: Any) -> None:
        """Tell what a statement assigns, if somebody watches."""
        if self.watch is not None:
            self.watch(self.span(node), value)

    # -- helpers ------------------------------------------------------------------------------------

    def keep(self, thing: LayerV | ModelV | FunctionV | InstanceV) -> None:
        """It is in a circle, which is to be opened when the file ends; what an import makes stays."""
        self.own.append(thing)

    def set_item(self, table: TableV, key: Any, value: Any) -> None:
        self.heap.touch(table)
        table.items[key] = value

    def strip(self, value: Any, found: set[Any] | None = None) -> Any:
        """`value` as ops take it: Assumed removed (its assumptions added to `found`), ListV/DictV as list/dict."""
        from cudnnlint.interp.convert import strip

        return strip(value, found)

    def call(self, callee: Any, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        return _calling()(self, Call(self, callee, list(args), dict(kwargs), node))

    def begin(self) -> int:
        """An application of a layer begins; `applying` is to be popped when it ends, however it ends."""
        self.applied += 1
        self.applying.append(self.applied)
        return self.applied

    def unique_name(self, base: str) -> str:
        """Keras' automatic layer names: conv2d, conv2d_1, ...; conv2d_1, conv2d_2, ... in the keras package before 2.4
        (keras 2.3 keras/engine/base_layer.py: Layer.__init__)."""
        count = self.counters.get(base, 0)
        self.counters[base] = count + 1
        if self.stack.keras < (2, 4) and not any(map(self.frame.module.source.says, WITHIN_TENSORFLOW)):
            count += 1
        name = base if count == 0 else f"{base}_{count}"
        if self.recording is not None:
            self.recording.names.append((base, name))
        return name


@cache
def _calling() -> Callable[[Machine, Call], Any]:
    """Of a module that needs this one: an import costs a microsecond each time that it is come to."""
    from cudnnlint.interp.calls import call

    return call


def assume(value: Any, assumptions: Assumptions) -> Any:
    """`value` resting on `assumptions` as well; tensors carry them themselves, other objects do not."""
    if not assumptions or isinstance(value, Unknown):
        return value
    if isinstance(value, Assumed):
        return Assumed(value.value, value.assumptions | assumptions)
    if isinstance(value, Tensor):
        return value if assumptions <= value.assumptions else _retensor(value, assumptions)
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return Assumed(value, assumptions)
    if isinstance(value, tuple):
        return like(value, [assume(item, assumptions) for item in value])
    return value


def _retensor(tensor: Tensor, assumptions: Assumptions) -> Tensor:
    return Tensor(tensor.shape, tensor.dtype, tensor.kind, tensor.content, tensor.step,
                  tensor.assumptions | assumptions)


def plain(value: Any) -> Any:
    """The value without its assumptions (shallow)."""
    return value.value if type(value) is Assumed else value


def assumptions_of(value: Any) -> Assumptions:
    kind = type(value)
    if kind is Assumed or kind is Tensor:
        return value.assumptions  # type: ignore[no-any-return]
    return value.absent if kind is DictV and value.unknown else NONE
