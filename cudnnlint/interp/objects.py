"""What names can be bound to besides plain Python values and tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any, ClassVar

from cudnnlint.interp.heap import ListV, TableV, clock
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.source.asked import Asked
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE as NO_ASSUMPTIONS
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.unknown import OPEN_RANGE, Counted, OfPython


@record(frozen=True, slots=True)
class External:
    """Something of a library, by its canonical dotted path ("keras.layers.Conv2D").

    written  the path as the program has it, but for its own names of modules ("tensorflow.keras.layers.Conv2D"); ""
             where that is not known
    """

    path: str
    written: str = field(default="", compare=False)


NOTHING: frozenset[str] = frozenset()


class Scope(TableV):
    """Local names of a function, class body or module. `parent` is the enclosing function or module scope."""

    __slots__ = ("globals_", "kind", "nonlocals", "parent")
    of_names = True

    def __init__(self, parent: Scope | None = None, kind: str = "function") -> None:
        self.born, self.items, self.unknown = next(clock), {}, None  # as TableV: each call makes one
        self.parent = parent
        self.kind = kind
        self.globals_: frozenset[str] = NOTHING
        self.nonlocals: frozenset[str] = NOTHING


class ClassScope(Scope):
    """The names of a class body, and whose: what super() means in a function there, even one that a decorator wraps."""

    __slots__ = ("owner",)

    def __init__(self, parent: Scope, owner: ClassV) -> None:
        super().__init__(parent, "class")
        self.owner = owner


@record(eq=False, slots=True)
class ModuleV:
    """A module of the project: its name, source and top-level names."""

    name: str
    path: str
    scope: Scope
    source: Any = None
    is_package: bool = False
    done: bool = False
    state: dict[str, Any] = field(default_factory=dict)
    overrides: dict[str, Any] = field(default_factory=dict)
    """What importing it changed in the libraries' global state."""
    search_path: list[tuple[str, bool]] = field(default_factory=list)
    """What importing it added to sys.path, and whether before the rest."""
    asked: Asked = field(default_factory=Asked)
    """Of the file system, while it was imported."""
    listed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Name -> (module, its member) of a long list of imports, each of which is followed when it is wanted."""


@record(eq=False, slots=True)
class FunctionV:
    """A def or lambda with its closure; `owner` is the class it was defined in (for super())."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    module: ModuleV
    defaults: tuple[Any, ...] = ()
    kw_defaults: Mapping[str, Any] = field(default_factory=dict)
    owner: ClassV | None = None
    kind: str = "function"
    """"function", "static", "class" or "property"."""
    setter: FunctionV | None = None
    deleter: FunctionV | None = None
    traced: Any = None
    """What tf.function was told (Traced), if it is one."""

    def let_go(self) -> None:
        """Its file has ended: it need not keep the scope that it is a name in."""
        self.scope, self.owner = self.module.scope, None


@record(eq=False, slots=True)
class BoundV:
    """A method of a user object: `function` with `receiver` as the first argument."""

    function: Any
    receiver: Any


@record(eq=False, slots=True)
class MethodV:
    """A method of something the interpreter models itself: `receiver.name`."""

    receiver: Any
    name: str


@record(eq=False, slots=True)
class BuiltinV:
    """A Python builtin or helper implemented by the interpreter: run(call) -> value."""

    name: str
    run: Callable[[Any], Any]


OF_THE_CLASS = "from_config"
"""A method of the library that is given a class, and makes one of it."""


@record(eq=False, slots=True)
class PartialV:
    """functools.partial."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


OF_OBJECTS = frozenset({"__new__", "__dict__", "__class__", "__setattr__", "__getattr__"})
"""What classes of Python have from object, or not at all."""
OF_DATASETS = frozenset({"__len__", "__getitem__"})
"""What every dataset of torchvision has; classes that stand behind it among the bases do not come to it."""


class ClassV(TableV):
    """A class of the user's: `mro` lists ClassV and External bases; `items` is its namespace."""

    __slots__ = ("bases", "fields", "instances", "members", "module", "mro", "name", "node", "sealed")

    def __init__(self, name: str, bases: tuple[Any, ...], module: ModuleV, node: ast.ClassDef | None) -> None:
        super().__init__()
        self.name, self.bases, self.module, self.node = name, bases, module, node
        self.mro: tuple[Any, ...] = (self,)
        self.fields: dict[str, Any] | None = None
        """Dataclass / NamedTuple fields in order, name -> default (or REQUIRED)."""
        self.members: list[InstanceV] | None = None
        """Of an Enum, in order."""
        self.instances: list[InstanceV] = []
        self.sealed = True
        """False when a base or decorator is unknown: then attributes not found are unknown, not absent."""

    def lookup(self, name: str) -> Any:
        """The attribute by the method resolution order, or MISSING; an unknown base gives Unknown."""
        for cls in self.mro:
            if type(cls) is ClassV:
                if name in cls.items:
                    return cls.items[name]
            elif type(cls) is not External:
                if isinstance(cls, Unknown) and not (type(cls) is OfPython and name in OF_OBJECTS):
                    return cls
            elif name in OF_DATASETS and cls.path.startswith("torchvision.datasets."):
                return Unknown(f"{name} of {cls.path}")
        return MISSING

    def external_base(self) -> str | None:
        """Path of the first library class in the mro ("keras.layers.Layer", "keras.Model"), object excluded."""
        for cls in self.mro:
            if type(cls) is External:
                return str(cls.path)
        return None


class InstanceV(TableV):
    """An instance of a user class; `items` are its attributes. `extra` is framework state (KerasState)."""

    __slots__ = ("assumptions", "cls", "extra", "span")

    def __init__(self, cls: ClassV, span: Span | None = None) -> None:
        super().__init__()
        self.cls, self.span = cls, span
        self.extra: Any = None
        self.assumptions: Assumptions = NO_ASSUMPTIONS

    def let_go(self) -> None:
        """Its file has ended."""
        self.items.clear()
        self.extra = None

    def of_turns(self, states: Sequence[Any]) -> Sequence[Any]:
        """What turns of a loop set, build() among them, is there for whoever reads it: where no turn was made, that
        raises. Not what the class has, too."""
        known = {name: value for items, _ in reversed(states) for name, value in items.items()
                 if self.cls.lookup(name) is MISSING}
        return [({**known, **items}, unknown) for items, unknown in states]

    @property
    def chain(self) -> Any:
        """The modules of one whose class derives from nn.Sequential (frameworks/torch/containers.py: Chain), if any."""
        held = getattr(self.extra, "model", None)
        return held if getattr(held, "part", False) else None

    @property
    def is_data(self) -> bool:
        from cudnnlint.interp.named_tuples import is_of_tensors

        return self.cls.fields is not None and is_of_tensors(self)

    def join_with(self, other: InstanceV) -> Any:
        from cudnnlint.interp.named_tuples import DIFFERS, joined

        return DIFFERS if self.cls.fields is None else joined(self, other)

    def supports_masking(self) -> bool | None:
        """Whether Keras asks its compute_mask() (keras/src/layers/layer.py: Layer.supports_masking); None when not
        known. Layers of the library have one of their own."""
        if self.unknown or self.cls.external_base() not in ("keras.layers.Layer", "keras.Model"):
            return None
        if getattr(self.extra, "model", None) is not None:
            return None
        said = self.items.get("supports_masking", self.cls.lookup("supports_masking"))
        if said is MISSING:
            own = self.cls.lookup("compute_mask")
            return isinstance(own, FunctionV) if own is MISSING or isinstance(own, FunctionV) else None
        return said if isinstance(said, bool) else None


class Record(tuple[Any, ...]):
    """A named tuple of a user's class among plain values; a type of its own for each class, by `record_type`."""

    __slots__ = ()
    cls: ClassVar[ClassV]


@lru_cache(maxsize=64)
def record_type(cls: ClassV) -> type[Record]:
    return type(cls.name, (Record,), {"cls": cls, "__slots__": ()})


class NamespaceV(TableV):
    """SimpleNamespace, argparse.Namespace, click/absl flags: attributes by name."""

    __slots__ = ("assume",)

    def __init__(self, items: dict[str, Any] | None = None, unknown: Unknown | None = None) -> None:
        super().__init__(items, unknown)


@record(frozen=True, slots=True)
class RangeV:
    """range(start, stop, step) of known bounds."""

    range: range


@record(frozen=True, slots=True)
class OpenRangeV:
    """range() with bounds that are not all known."""

    start: Any = field(default=None, compare=False)
    stop: Any = field(default=None, compare=False)
    step: Any = field(default=1, compare=False)

    def iterated(self, m: Any) -> Any:
        return OPEN_RANGE

    def length(self, m: Any) -> Any:
        return OPEN_RANGE

    def sample(self, m: Any) -> Any:
        """Any number of it, from `start` on and below `stop`."""
        if type(self.start) is int and type(self.step) is int and self.step > 0:
            return Counted("loop variable", number=True, base=object(), low=self.start, high=self.stop)
        return Unknown("loop variable", number=True)

    def item(self, m: Any, key: Any, node: Any) -> Any:
        return self if isinstance(key, slice) else Unknown("loop variable", number=True)


@record(eq=False, slots=True)
class GeneratorV:
    """A generator object: what it yields, in order when it ended (`complete`), else a sample of the elements; or one
    of each of the `kinds` that there are. `over` is what it goes through, where it yields as often as that; `maker`,
    where it is no generator to Python, the class that it is of: "zip".
    """

    elements: ListV
    complete: bool
    infinite: bool = False
    kinds: list[Any] | None = None
    over: Any = None
    maker: str = ""
    counter: ListV | None = None
    """Of itertools.count() the next number and the step, of itertools.cycle() all elements, the next one first."""
    changed: tuple[Any, ...] = ()
    """What it changed that is older, with its state before: less of that, where not all that it yields is asked for."""


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""No such attribute or name."""
FAILED = Unknown("a call that fails")
"""What is not known of an object whose constructor cannot be called as it is: what its class has is."""

REQUIRED = _Missing()
"""A dataclass field without default."""
