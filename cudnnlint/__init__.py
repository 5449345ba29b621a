"""cudnnlint finds what will fail in GPU model code, from its source alone."""

__version__ = "0.1.0"
