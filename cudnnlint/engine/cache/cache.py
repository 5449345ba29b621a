"""Outcomes by file: one entry each, with the answers of the file system that it hangs on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from cudnnlint.engine.cache import answers, codec
from cudnnlint.engine.cache.code import identity
from cudnnlint.engine.cache.place import directory_of, write
from cudnnlint.engine.outcome import Outcome
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.source.asked import Asked, recording
from cudnnlint.source.disk import digest

LARGEST = 4 << 20
"""Bytes of an entry."""
OF_NO_FILE = frozenset({"exclude", "extend_exclude", "force_exclude", "respect_gitignore", "fail_on", "cache_dir",
                        "file", "nearest"})
"""Settings that change nothing about what is found in one file."""


class Cache:
    """A directory of entries. Whatever is wrong with it costs only the time to look at the file again.

    An entry's name tells what is given beforehand: the file's path, the settings, the working directory, cudnnlint and
    Python. The entry has the file's content, and what else of the file system was asked, with the answers.
    """

    def __init__(self, directory: str) -> None:
        self.notes: list[str] = []
        self._directory: str | None = directory
        self._still = answers.Still()
        self._around = f"{os.getcwd()}\n{os.path.expanduser('~')}\n{identity()}"
        self._settings: dict[int, tuple[Settings, str]] = {}

    @classmethod
    def of(cls, settings: Settings) -> Cache | None:
        """The one that belongs to settings."""
        directory = directory_of(settings)
        return None if directory is None else cls(directory)

    def outcome(self, face: str, path: str, data: bytes, settings: Settings, packages: Sequence[str],
                look: Callable[[], Outcome]) -> Outcome:
        """What was told of a file of these bytes, if it still holds; else what `look` tells, which is kept.

        face  who asks, where that makes a difference
        """
        name = self._name(face, path, settings, packages)
        content = digest(data)
        if (known := self._kept(name, content)) is not None:
            return known
        with recording() as asked:
            found = look()
        if found.lasting:
            self._keep(name, content, asked, found)
        return found

    def _name(self, face: str, path: str, settings: Settings, packages: Sequence[str]) -> str:
        told = "\n".join((face, path, self._told(settings), *packages, self._around))
        name = digest(told.encode("utf-8", "surrogateescape"))
        return os.path.join(name[:2], f"{name[2:]}.json")

    def _told(self, settings: Settings) -> str:
        """Settings as text; the files of a run have few."""
        known = self._settings.get(id(settings))
        if known is None:
            told = repr([(each.name, getattr(settings, each.name)) for each in fields(settings)
                         if each.name not in OF_NO_FILE])
            known = self._settings[id(settings)] = settings, told
        return known[1]

    def _kept(self, name: str, content: str) -> Outcome | None:
        if self._directory is None:
            return None
        try:
            with open(os.path.join(self._directory, name), "rb") as file:
                text = file.read(LARGEST + 1)
        except OSError:
            return None
        try:
            told: Any = json.loads(text)
            if told["content"] != content or not self._still.holds(told["asked"]):
                return None
            return codec.decoded(told["outcome"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OSError, ImportError) as error:
            self.notes.append(f"cache: {os.path.join(self._directory, name)} is no entry of ours: {error}")
            return None

    def _keep(self, name: str, content: str, asked: Asked, found: Outcome) -> None:
        if self._directory is None or (told := asked.all()) is None:
            return
        try:
            entry = {"content": content, "asked": answers.encoded(told), "outcome": codec.encoded(found)}
            data = json.dumps(entry, separators=(",", ":")).encode("ascii")
        except (TypeError, ValueError, RecursionError):
            return
        if len(data) > LARGEST:
            return
        try:
            write(self._directory, name, data)
        except OSError:  # nobody can write there: nothing is kept, and that is no matter
            self._directory = None
