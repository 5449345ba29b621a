"""Writes what the wheels of TensorFlow, PyTorch and their kin say of themselves: their Pythons, what they require.

    python -m cudnnlint.devtools.wheels [PACKAGE ...]

Asks the package index through pip, which downloads metadata, or a small wheel where the index gives none apart; takes
about a quarter of an hour for all packages. What `incompatible-cuda-stack` and its kin know rests on it
(cudnnlint/facts/wheels.json).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from cudnnlint.facts.wheels import FILE

PACKAGES = {"tensorflow": "2.0", "tf-keras": "2.0", "tensorflow-text": "2.0", "torch": "1.7", "torchvision": "0.8",
            "torchaudio": "0.7"}
"""Package -> the first release that is looked at."""
LARGE = frozenset({"torch"})
"""Hundreds of megabytes, all of which pip would download to see what is required: their Pythons are looked at alone."""
PYTHONS = ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
PLATFORMS = ("manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64", "manylinux_2_17_x86_64",
             "manylinux_2_27_x86_64", "manylinux_2_28_x86_64")
LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64",
         "implementation_name": "cpython", "platform_python_implementation": "CPython"}
"""Where a GPU program is taken to run."""
CUDA = "and-cuda"

Entry = dict[str, Any]


def pip(*arguments: str) -> str:
    """What pip prints; "" if it fails, as it does for a Python without any wheel."""
    done = subprocess.run([sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def target(python: str) -> list[str]:
    """Options by which pip looks for the wheels of a Python on Linux."""
    return ["--only-binary", ":all:", "--python-version", python, *(f"--platform={name}" for name in PLATFORMS)]


def versions(package: str, python: str) -> list[str]:
    """Final releases with a wheel."""
    found = re.search(r"Available versions: (.*)", pip("index", "versions", package, *target(python)))
    return [text for text in found[1].split(", ") if not Version(text).is_prerelease] if found else []


def metadata(package: str, version: str, python: str) -> Mapping[str, Any]:
    """Of one wheel, as pip reports it (pip.pypa.io, "Installation Report")."""
    text = pip("install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet", "--report", "-",
               "--target", "unused", *target(python), f"{package}=={version}")
    return dict(json.loads(text)["install"][0]["metadata"]) if text else {}


def entry(said: Mapping[str, Any], pythons: Sequence[str]) -> Entry:
    """What the table keeps: package -> the specifiers that the Pythons want, one if they agree."""
    parsed = [Requirement(text) for text in said.get("requires_dist", ())]
    return {"pythons": list(pythons), "requires": _wanted(parsed, pythons, ""), "cuda": _wanted(parsed, pythons, CUDA)}


def _wanted(requirements: Iterable[Requirement], pythons: Sequence[str], extra: str) -> dict[str, list[str]]:
    """Those that every Python has; with an extra, those that it adds."""
    found: dict[str, dict[str, str]] = {}
    for requirement in requirements:
        for python in pythons:
            if _holds(requirement, python, extra) and not (extra and _holds(requirement, python, "")):
                found.setdefault(canonicalize_name(requirement.name), {})[python] = str(requirement.specifier)
    return {name: list(dict.fromkeys(wanted.values())) for name, wanted in sorted(found.items())
            if len(wanted) == len(pythons) and any(wanted.values())}


def _holds(requirement: Requirement, python: str, extra: str) -> bool:
    environment = {**LINUX, "python_version": python, "python_full_version": f"{python}.0", "extra": extra}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def gathered(packages: Iterable[str]) -> dict[str, dict[str, Entry]]:
    """The table: package -> version -> entry."""
    table: dict[str, dict[str, Entry]] = {}
    for package in packages:
        pythons: dict[str, list[str]] = {}
        for python in PYTHONS:
            for version in versions(package, python):
                pythons.setdefault(version, []).append(python)
        wanted = sorted((text for text in pythons if Version(text) >= Version(PACKAGES[package])), key=Version)
        for version in wanted:
            print(f"{package} {version}", file=sys.stderr)
            said = {} if package in LARGE else metadata(package, version, pythons[version][-1])
            if said or package in LARGE:
                table.setdefault(package, {})[version] = entry(said, pythons[version])
    return table


def written(table: Mapping[str, Mapping[str, Entry]]) -> str:
    """JSON with a line for each version, for differences to be read."""
    packages = []
    for package, found in table.items():
        lines = ",\n".join(f'  "{version}": {json.dumps(each)}' for version, each in found.items())
        packages.append(f' "{package}": {{\n{lines}\n }}')
    return "{\n" + ",\n".join(packages) + "\n}\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m cudnnlint.devtools.wheels",
                                     description=(__doc__ or "").splitlines()[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="those to look at anew; all by default")
    options = parser.parse_args(arguments)
    if unknown := set(options.packages) - PACKAGES.keys():
        parser.error(f"not a package of the table: {', '.join(sorted(unknown))}")
    renewed = options.packages or list(PACKAGES)
    table = {**json.loads(FILE.read_text(encoding="utf-8")), **gathered(renewed)}
    FILE.write_text(written({package: table[package] for package in PACKAGES if package in table}), encoding="utf-8")


if __name__ == "__main__":
    main()
