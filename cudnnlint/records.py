"""Records: dataclasses frozen to the type checker, as cheap to make as any object and cheaper to declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["record"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    from dataclasses import dataclass, fields, make_dataclass

    def record(*, frozen=False, eq=True, repr=True, **options):
        """`@record(frozen=True, ...)` is `@dataclass(frozen=True, ...)` whose frozenness only the type checker sees.

        The __init__ of a frozen dataclass sets each field by object.__setattr__, at ten times the cost of an
        assignment (dataclasses.py: _field_assign). Its methods are compiled from text as the class is made, which takes
        twenty times as long as all the rest (dataclasses.py: _create_fn); here each waits for its first call, which a
        run makes of few.

        >>> @record(frozen=True, slots=True)
        ... class Window:
        ...     '''Rows and columns.'''
        ...     height: int
        ...     width: int = 1
        >>> Window(3) == Window(3, 1), len({Window(3), Window(3), Window(4)}), Window(3)
        (True, 2, Window(height=3, width=1))
        >>> Window()
        Traceback (most recent call last):
        TypeError: Window.__init__() missing 1 required positional argument: 'height'
        """
        def decorated(cls):
            own = vars(cls)
            made = dataclass(init=False, repr=False, eq=False, **options)(cls)
            _tell_super(own, cls, made)
            for name, wanted in (("__init__", True), ("__repr__", repr), ("__eq__", eq), ("__hash__", eq)):
                if wanted and own.get(name) is None:
                    setattr(made, name, _waiting(made, name) if frozen or name != "__hash__" else None)
            return made

        return decorated

    def _tell_super(own, cls, made):
        """`super()` in a method goes by the class that the method was written in; with slots, another takes its place
        (https://github.com/python/cpython/issues/90562, mended in 3.14)."""
        for method in own.values():
            for cell in getattr(method, "__closure__", None) or ():
                if cell.cell_contents is cls:
                    cell.cell_contents = made

    def _waiting(cls, name):
        """A method that puts the real one in its place when it is first called."""
        def method(self, *args, **kwargs):
            written = _written(cls, name)
            setattr(cls, name, written)
            return written(self, *args, **kwargs)

        return method

    def _written(cls, name):
        """The method that a dataclass of the same fields has: that of a twin, which is made for it."""
        namespace = {"__doc__": cls.__doc__, "__qualname__": cls.__qualname__}
        if hasattr(cls, "__post_init__"):
            namespace["__post_init__"] = cls.__post_init__
        twin = make_dataclass(
            cls.__name__, [(part.name, part.type, part) for part in fields(cls)], namespace=namespace, match_args=False,
            init=name == "__init__", repr=name == "__repr__", eq=name == "__eq__", unsafe_hash=name == "__hash__")
        return vars(twin)[name]
