"""Where text lives: files and notebooks read, decoded and parsed, in one coordinate system."""

from cudnnlint.source.error import SourceError
from cudnnlint.source.roots import ROOTS, names_framework
from cudnnlint.source.source import Location, Source, read_bytes
from cudnnlint.source.span import Span

__all__ = ["ROOTS", "Location", "Source", "SourceError", "Span", "names_framework", "read_bytes"]
