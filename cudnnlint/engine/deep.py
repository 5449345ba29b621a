"""Room for deep recursion: the interpreter recurses as deep as the user's expressions nest."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

STACK = 256 * 1024 * 1024
"""Bytes of address space for the thread's stack; memory is only taken as it is used."""
FRAMES = 20_000
"""Python frames: STACK leaves each some 13 KiB, several times what the C code between two frames takes."""
ROOM = 1 << 20
"""Values for which the outermost frame asks. CPython since 3.11 keeps frames in chunks of 16 KiB, which it maps and
unmaps whenever a call crosses from one to the next (Python/pystate.c: push_chunk, _PyThreadState_PopFrame), a tenth of
the time; a frame that asks for more gets the next power of two, and leaves the rest of it, untouched, to all others."""
_NAME = "cudnnlint-deep"


def call_deep(function: Callable[[], T]) -> T:
    """`function()` in a thread with a large stack, or here if this is one or none can be had."""
    if threading.current_thread().name == _NAME:
        return function()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    run.__code__ = run.__code__.replace(co_stacksize=ROOM)
    context = contextvars.copy_context()  # what is to be read in place of files
    # daemon: an interrupt of ours ends it too
    thread = threading.Thread(target=context.run, args=(run,), name=_NAME, daemon=True)
    with _limits() as can_start:
        if not (can_start and _started(thread)):
            return function()
        thread.join()
    if errors:
        raise errors[0]
    return results[0]


@contextlib.contextmanager
def _limits() -> Iterator[bool]:
    """The recursion limit, raised for as long as it is needed and never lowered."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield True
    finally:
        sys.setrecursionlimit(before)


def _started(thread: threading.Thread) -> bool:
    try:
        before = threading.stack_size(STACK)
    except (ValueError, RuntimeError):
        return False
    try:
        thread.start()
    except RuntimeError:  # no address space left for it
        return False
    finally:
        threading.stack_size(before)
    return True
