"""Turns every way a run can end into an exit code and at most one line on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable

import click

from cudnnlint.engine.errors import UsageError

CLEAN, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130
TRACEBACK = "CUDNNLINT_TRACEBACK"
"""Set to anything, an internal error shows its traceback."""


def ended(run: Callable[[], object]) -> int:
    """The exit code of `run`, which returns one or raises."""
    try:
        code = run()
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        hush()
        return FINDINGS
    except click.ClickException as error:
        return _failed(_worded(error))
    except (UsageError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            hush()  # of our output, the rest of which Python would try to write once more at exit
        return _failed(_reason(error))
    except Exception as error:
        return _crashed(error)
    return code if isinstance(code, int) else CLEAN


def hush() -> None:
    """Nobody takes our output any more: nothing more is written, and nothing complains at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(text: str) -> None:
    """One line on standard error."""
    click.echo(f"cudnnlint: {' '.join(text.split())}", err=True)


def _failed(text: str) -> int:
    warn(f"error: {text}")
    return FAILED


def _worded(error: click.ClickException) -> str:
    """click's message in our tone: lower case, no full stop."""
    text = " ".join(error.format_message().split()).rstrip(".").replace(". (", " (")
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx is not None else ""
    tip = f" (see {command} --help)" if command else ""
    return f"{text[:1].lower()}{text[1:]}{tip}"


def _reason(error: Exception) -> str:
    """
    >>> _reason(FileNotFoundError(2, "No such file or directory", "a.py"))
    'a.py: no such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}" if error.filename else error.strerror.lower()
    return str(error)


def _crashed(error: Exception) -> int:
    if os.environ.get(TRACEBACK):
        raise error
    return _failed(f"internal error: {type(error).__name__}: {error} "
                   f"(a bug in cudnnlint; {TRACEBACK}=1 shows where)")
