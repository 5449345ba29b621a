"""Requirements that cannot both be met, proven by what the wheels say of themselves; what is not pinned is silent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cudnnlint.engine.requirements.files import Listed, Listing
from cudnnlint.engine.requirements.ranges import disjoint, exact, span_of
from cudnnlint.events.project import RequirementsClash
from cudnnlint.facts.wheels import PYTHONS, Release, releases
from cudnnlint.values import Stack

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

TABLES = {"tensorflow": "tensorflow", "tensorflow-cpu": "tensorflow",
          **{name: name for name in ("tf-keras", "tensorflow-text", "torch", "torchvision", "torchaudio")}}
"""Package -> the one in the table that requires the same; both are built from one setup.py
(tensorflow/tools/pip_package/setup.py.tpl)."""
WHEELS_ONLY = ("tensorflow", "torch")
"""Published without a source that could be built for another Python."""
CUDA = "and-cuda"
CUDNN = "nvidia-cudnn-cu"
OTHER_USERS = ("accelerate", "bitsandbytes", "ctranslate2", "cudf", "cuml", "cupy", "deepspeed", "diffusers",
               "easyocr", "faiss", "fastai", "faster-whisper", "flax", "jax", "kornia", "lightning", "mxnet", "numba",
               "nvidia-dali", "onnx", "openai-whisper", "paddle", "peft", "pytorch", "rapids", "sentence-transformers",
               "spacy", "stable-baselines", "tensorrt", "timm", "torch", "transformer", "triton", "ultralytics", "vllm",
               "whisper", "xformers", "xgboost")
"""Beginnings of packages that use NVIDIA's wheels, or bring some that do: nobody knows whom a wheel is for then."""
WITHOUT_GPU = ("tensorflow-cpu", "tensorflow-intel")
"""Builds without CUDA: the first says so, the second is TensorFlow for Windows from 2.11 on."""
STUB = "tensorflow-gpu", "2.12.0"
"""The last release of tensorflow-gpu, which is nothing but an error."""
_PATCHES = 31


def clashes(listing: Listing, stack: Stack) -> Iterator[RequirementsClash]:
    """One event for each pair; a requirement that is written twice is judged twice."""
    for by in listing.lines:
        allowed = _allowed(by)
        for asked in listing.lines if allowed else ():
            yield from _packages(by, asked, allowed, stack)
        if allowed and listing.python is not None and by.name in WHEELS_ONLY:
            yield from _python(by, listing.python, allowed, stack)
        if by.name == STUB[0] and by.specifier.contains(STUB[1]):
            yield RequirementsClash(span=by.span, stack=stack, what="removed", asked=by.text)
    if not any(line.name.startswith(OTHER_USERS) for line in listing.lines):
        yield from _unused_cuda(listing, stack)


def _allowed(by: Listed) -> list[Release]:
    """The releases that a requirement may mean, oldest first; none if ones that are not known may be meant too."""
    known = releases(TABLES.get(by.name, ""))
    if not known:
        return []
    specifier = _public(by.specifier)
    span = span_of(specifier)
    if exact(specifier) is None and (span.high is None or span.high > known[-1].version):
        return []
    return [release for release in known if specifier.contains(release.version)]


def _public(specifier: SpecifierSet) -> SpecifierSet:
    """`==2.0.1+cu118` is the release 2.0.1, built for one CUDA: it requires the same (download.pytorch.org).

    >>> from packaging.specifiers import SpecifierSet
    >>> str(_public(SpecifierSet("==2.0.1+cu118")))
    '==2.0.1'
    """
    pinned = exact(specifier)
    return specifier if pinned is None or pinned.local is None else type(specifier)(f"=={pinned.public}")


def _packages(by: Listed, asked: Listed, allowed: list[Release], stack: Stack) -> Iterator[RequirementsClash]:
    """What every allowed release refuses, of its own requirements and those of and-cuda."""
    ways = [("package", [release.requires for release in allowed])]
    if CUDA in by.extras:
        ways.append(("cuda", [release.cuda for release in allowed]))
    for what, wanted in ways:
        each = [requires.get(asked.name, ()) for requires in wanted]
        if all(specifiers and all(disjoint(asked.specifier, one) for one in specifiers) for specifiers in each):
            yield _clash(what, asked, by, allowed[-1], asked.name + _shown(each[-1][-1]), stack)


def _shown(specifier: SpecifierSet) -> str:
    """Its bounds: what `!=` takes out in between is told only where there is nothing else.

    >>> from packaging.specifiers import SpecifierSet
    >>> _shown(SpecifierSet("!=4.21.1,!=4.21.0,<5,>=3.20.3"))
    '>=3.20.3,<5'
    """
    bounds = sorted((str(clause) for clause in specifier if clause.operator != "!="), reverse=True)
    return ",".join(bounds) or str(specifier)


def _python(by: Listed, python: Listed, allowed: list[Release], stack: Stack) -> Iterator[RequirementsClash]:
    """A Python that has no wheel: TensorFlow is published as wheels only."""
    meant = [minor for minor in PYTHONS if _may_be(python.specifier, minor)]
    if not meant or any(minor in release.pythons for minor in meant for release in allowed):
        return
    have = allowed[-1].pythons
    yield RequirementsClash(span=by.span, stack=stack, what="python", asked=by.text, by=python.text,
                            by_span=python.span, release=f"{by.name} {allowed[-1].version}",
                            wanted=f"Python {have[0]}" + (f" to {have[-1]}" if len(have) > 1 else ""))


def _may_be(specifier: SpecifierSet, minor: str) -> bool:
    return any(specifier.contains(f"{minor}.{patch}") for patch in range(_PATCHES))


def _unused_cuda(listing: Listing, stack: Stack) -> Iterator[RequirementsClash]:
    """Wheels of NVIDIA's that TensorFlow, their only user here, does not look for or cannot load."""
    frameworks = [line for line in listing.lines if line.name in (*TABLES, "tensorflow-intel", "tensorflow-gpu")
                  and line.name != "tf-keras"]
    wheels = [line for line in listing.lines if line.name.startswith(CUDNN)]
    if not wheels or not frameworks:
        return
    without = next((line for line in frameworks if line.name in WITHOUT_GPU), None)
    if without is not None and all(line.name in (*WITHOUT_GPU, "tensorflow") for line in frameworks):
        intel = any(line.name == "tensorflow-intel" for line in frameworks)
        if intel or len(frameworks) == 1:
            yield RequirementsClash(span=without.span, stack=stack, what="cpu", asked=without.text, by=wheels[0].text,
                                    by_span=wheels[0].span)
        return
    for by in frameworks:
        allowed = _allowed(by) if by.name == "tensorflow" and CUDA not in by.extras else []
        for wheel in wheels if allowed else ():
            yield from _cudnn(by, wheel, allowed, stack)


def _cudnn(by: Listed, wheel: Listed, allowed: list[Release], stack: Stack) -> Iterator[RequirementsClash]:
    """TensorFlow wants the cuDNN that it was built with: the same major version, and no older minor one."""
    version = exact(wheel.specifier)
    built = [low for release in allowed for name, specifiers in release.cuda.items() if name.startswith(CUDNN)
             for specifier in specifiers if (low := span_of(specifier).low) is not None]
    if version is None or len(built) < len(allowed):
        return
    if all(version.major != one.major or version.minor < one.minor for one in built):
        yield _clash("cudnn", wheel, by, allowed[-1], f"cuDNN {built[-1].major}.{built[-1].minor}", stack)


def _clash(what: str, asked: Listed, by: Listed, release: Release, wanted: str, stack: Stack) -> RequirementsClash:
    return RequirementsClash(span=asked.span, stack=stack, what=what, asked=asked.text, by=by.text, by_span=by.span,
                             release=f"{by.name} {release.version}", wanted=wanted)
