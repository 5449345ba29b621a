"""The interpreter: follows a program over abstract values and tells what happens as events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cudnnlint.values import Stack

if TYPE_CHECKING:
    from cudnnlint.events import Event
    from cudnnlint.facts.libraries import Libraries
    from cudnnlint.interp.limits import Limits
    from cudnnlint.interp.shared import Shared
    from cudnnlint.interp.wanted import Wanted
    from cudnnlint.source import Source, Span


def analyse(source: Source, *, stack: Stack, emit: Callable[[Event], object], roots: Sequence[str] = (),
            uncalled: bool = True, limits: Limits | None = None, shared: Shared | None = None,
            watch: Callable[[Span, Any], None] | None = None, wanted: Wanted | None = None,
            libraries: Libraries | None = None) -> None:
    """Interpret one file and, with `uncalled`, every function in it that nothing called.

    emit   receives each event as it happens
    roots  further directories that the project's imports start from
    shared keeps imported modules for the next analysis of the same run
    watch  receives the value of every assignment and where it stands, as it happens
    wanted what is asked of the program besides what it does by itself
    libraries installed packages that are read like the project's own modules
    Raises SourceError if the source does not parse. The registries must have been filled by discovery.
    """
    from cudnnlint.interp.run import analyse as run

    run(source, stack=stack, emit=emit, roots=roots, uncalled=uncalled, limits=limits, shared=shared, watch=watch,
        wanted=wanted, libraries=libraries)
