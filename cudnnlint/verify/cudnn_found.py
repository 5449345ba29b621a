"""Where an installed cuDNN is: the one that a program of the environment would load. Never fetched."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping

NAMES = ("libcudnn.so.[0-9]*", "libcudnn.so", "cudnn64_*.dll", "libcudnn.[0-9]*.dylib", "libcudnn_ops.so.[0-9]*",
         "libcudnn_ops_infer.so.[0-9]*")
"""One library until 7; from 8 on parts behind it, which are enough."""
IN_PACKAGES = (("nvidia", "cudnn", "lib"), ("nvidia", "cudnn", "bin"))
IN_ENVIRONMENT = ("lib", os.path.join("Library", "bin"))
"""Of a conda environment, beside its packages."""
OF_SYSTEM = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/cuda/lib64",
             "/usr/local/lib", "/usr/lib", "/opt/cuda/lib64")
SEARCHED, VARIABLES = "LD_LIBRARY_PATH", ("CUDNN_PATH", "CUDA_HOME", "CUDA_PATH")
_MAJOR = re.compile(r"(?:\.so\.|64_|cudnn\.)(\d+)")


def cudnn_in(paths: Iterable[str], environment: Mapping[str, str], prefix: str = "",
             system: Iterable[str] = OF_SYSTEM) -> str:
    """The first library found, or "".

    paths   directories of packages; prefix the environment that they belong to
    """
    return next((found for folder in _folders(paths, environment, prefix, system) if (found := library_in(folder))), "")


def library_in(folder: str) -> str:
    """The newest in a directory, or the file itself; "" for none.

    >>> library_in("/nowhere")
    ''
    """
    if os.path.isfile(folder):
        return os.path.abspath(folder)
    for name in NAMES:
        found = [path for path in glob.glob(os.path.join(glob.escape(folder), name)) if os.path.isfile(path)]
        if found:
            return os.path.abspath(max(found, key=lambda path: (_major(path), -len(path))))
    return ""


def _major(path: str) -> int:
    found = _MAJOR.search(os.path.basename(path))
    return int(found[1]) if found else 0


def _folders(paths: Iterable[str], environment: Mapping[str, str], prefix: str, system: Iterable[str]) -> Iterator[str]:
    """LD_LIBRARY_PATH comes before the places of the wheels (ld.so(8): DT_RUNPATH)."""
    yield from filter(os.path.isabs, environment.get(SEARCHED, "").split(os.pathsep))
    for top in paths:
        for below in IN_PACKAGES:
            yield os.path.join(top, *below)
    if prefix:
        for name in IN_ENVIRONMENT:
            yield os.path.join(prefix, name)
    for variable in VARIABLES:
        if os.path.isabs(folder := environment.get(variable, "")):
            yield from (os.path.join(folder, name) for name in ("lib64", "lib", "bin"))
    yield from system
