"""The settings of each file: those of the nearest configuration above it, whichever files are named beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.reading import file_in


class Nearest:
    """Looked up once for each directory; `changed` applies what the command line says."""

    def __init__(self, changed: Callable[[Settings], Settings] = lambda settings: settings) -> None:
        self._changed = changed
        self._files: dict[str, Path | None] = {}
        self._settings: dict[Path | None, Settings] = {}

    def of(self, directory: str) -> Settings:
        """Those that hold in a directory; ConfigError for a wrong configuration."""
        file = self._file(os.path.abspath(directory))
        if file not in self._settings:
            found = self._changed(Settings() if file is None else Settings.load(file))
            self._settings[file] = replace(found, nearest=self.of)
        return self._settings[file]

    def _file(self, directory: str) -> Path | None:
        if directory not in self._files:
            parent = os.path.dirname(directory)
            self._files[directory] = file_in(Path(directory)) or (None if parent == directory else self._file(parent))
        return self._files[directory]
