"""Findings kept from run to run: what was told of a file is told again as long as nothing that it hangs on changes."""

from cudnnlint.engine.cache.cache import Cache

__all__ = ["Cache"]
