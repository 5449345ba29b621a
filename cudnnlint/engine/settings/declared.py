"""What the user has configured: `[tool.cudnnlint]` in pyproject.toml, or a cudnnlint.toml of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal

from cudnnlint.engine.errors import ConfigError, UsageError
from cudnnlint.records import record

__all__ = ["DEFAULT_EXCLUDE", "ConfigError", "Settings", "UsageError"]

DEFAULT_EXCLUDE = (
    ".bzr", ".cudnnlint_cache", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox",
    ".pants.d", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "__pypackages__",
    "_build", "buck-out", "build", "dist", "node_modules", "site-packages", "venv",
)


def _key(help_text: str, default: Any = ()) -> Any:
    return field(default=default, metadata={"help": help_text})


_NOT_A_KEY = {"key": False}


@record(frozen=True, slots=True, kw_only=True)
class Settings:
    """Keys are the fields' names with hyphens. `root` is where patterns are relative to, `file` what was read,
    `nearest` gives the settings of a directory.
    """

    select: tuple[str, ...] | None = _key("rules to check: names, codes, prefixes of codes, or ALL", None)
    ignore: tuple[str, ...] = _key("rules to leave out")
    extend_select: tuple[str, ...] = _key("rules to check besides those selected")
    extend_ignore: tuple[str, ...] = _key("rules to leave out besides those ignored")
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, metadata={"help": "rules to leave out by pattern of the file's path"})
    exclude: tuple[str, ...] = _key("patterns of paths to skip, instead of the defaults", DEFAULT_EXCLUDE)
    extend_exclude: tuple[str, ...] = _key("patterns of paths to skip besides the defaults")
    force_exclude: bool = _key("skip excluded files even when they are named", False)
    respect_gitignore: bool = _key("skip what .gitignore names", True)
    fail_on: Literal["error", "warning", "info"] | None = _key(
        "exit with 1 for findings of this level or a graver one only; "
        "by default for warnings, and for info of rules that are selected", None)
    keras: str = _key('the Keras version that the code will run on, "3" or "2.10"', "")
    tensorflow: str = _key('the TensorFlow version that the code will run on, "2.16"', "")
    cudnn: str = _key('the cuDNN version that the code will run on, "9.3"', "")
    torch: str = _key('the PyTorch version that the code will run on, "2.4"', "")
    gpu: str = _key('the GPU that the code will run on, "T4", "RTX 3090", "2xT4" or its memory, "16GiB"', "")
    python: str = _key("the interpreter or environment whose installed packages are followed", "")
    cache_dir: str = _key(
        "where findings are kept from run to run; by default .cudnnlint_cache beside the configuration", "")
    rules: Mapping[str, Any] = field(default_factory=dict, metadata=_NOT_A_KEY)
    root: Path = field(default_factory=Path.cwd, metadata=_NOT_A_KEY)
    file: Path | None = field(default=None, metadata=_NOT_A_KEY)
    nearest: Callable[[str], Settings] | None = field(default=None, metadata=_NOT_A_KEY, compare=False, repr=False)

    def at(self, path: str) -> Settings:
        """Those of a file: of the configuration that is nearest to it, unless one was chosen for all."""
        return self if self.nearest is None else self.nearest(os.path.dirname(path))

    @classmethod
    def find(cls, start: Path | str = ".") -> Settings:
        """Those of the nearest configuration from `start` (a file or directory) upward; defaults if there is none."""
        from cudnnlint.engine.settings.reading import find_file

        file = find_file(Path(start))
        return cls.load(file) if file is not None else cls()

    @classmethod
    def load(cls, file: Path | str) -> Settings:
        """Those of one file; ConfigError, in one line, for anything that is wrong in it."""
        from cudnnlint.engine.settings.reading import read_file

        return read_file(Path(file))

    def overridden(self, changes: Mapping[str, Any], source: str = "command line: ") -> Settings:
        """With what the command line says; entries that are None say nothing.

        A `select` there starts anew: what the file ignores or adds no longer counts. All else that adds or
        ignores is added to what the file says.
        """
        given = {name: value for name, value in changes.items() if value is not None}
        anew: dict[str, Any] = {"ignore": (), "extend_ignore": (), "extend_select": ()} if "select" in given else {}
        added = {"ignore", "extend_ignore", "extend_select", "extend_exclude"} & given.keys() - anew.keys()
        given |= {name: (*getattr(self, name), *given[name]) for name in added}
        if "per_file_ignores" in given:
            both = dict(self.per_file_ignores)
            for pattern, rules in given["per_file_ignores"].items():
                both[pattern] = (*both.get(pattern, ()), *rules)
            given["per_file_ignores"] = both
        given = anew | given
        changed = replace(self, **given)
        _check(changed, {name.replace("_", "-") for name in changes if changes[name] is not None}, source)
        return changed


def _check(settings: Settings, keys: set[str], where: str) -> None:
    from cudnnlint.engine.settings.reading import validate

    validate(settings, keys, where)
