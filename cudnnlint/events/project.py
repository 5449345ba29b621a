"""What the project asks of its libraries, and what they no longer have."""

from __future__ import annotations

from cudnnlint.events.base import Event
from cudnnlint.finding import Label
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Where


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ApiChanged(Event):
    """The program uses what the library at hand does not have, or takes without effect.

    what      "name", "method", "attribute" (of an object), "argument" (not taken) or "ignored" (an argument without
              effect)
    name      the dotted name, or that of the callable whose argument it is
    exists    the stacks on which it exists, or has an effect
    imported  by an import statement
    """

    what: str
    name: str
    argument: str = ""
    exists: Where = Where()
    instead: str = ""
    imported: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ApiOutlived(Event):
    """The same of a program for old versions that asks for none: told once a file, about the newest (`stack`).

    what      "name", "method", "argument" or "spelling" (an argument of a layer that only Keras 1 has)
    """

    what: str
    name: str
    argument: str = ""
    exists: Where = Where()
    instead: str = ""
    imported: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RequirementsClash(Event):
    """Two requirements of a project cannot both be met; `span` is the one that gives way, `trace` shows the other.

    what     "package" (another version is required), "cuda" (a wheel of NVIDIA's, which the extra and-cuda requires),
             "cudnn" (TensorFlow without the extra was built for another cuDNN), "python" (no wheel for it),
             "cpu" (wheels of NVIDIA's beside a TensorFlow that does not look for them), "removed" (a package that
             refuses to be installed)
    asked    as the user wrote it, "nvidia-cudnn-cu12==9.1.0.70"
    by       the requirement that clashes with it, "tensorflow[and-cuda]==2.16.1"
    release  the newest release that `by` allows, "tensorflow 2.16.1"
    wanted   what that release wants, "nvidia-cudnn-cu12==8.9.7.29", or "Python 3.9 to 3.12"
    """

    what: str
    asked: str
    by: str = ""
    by_span: Span | None = None
    release: str = ""
    wanted: str = ""

    @property
    def trace(self) -> tuple[Label, ...]:
        return () if self.by_span is None else (Label(self.by_span, "required here"),)
