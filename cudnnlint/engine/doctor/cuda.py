"""Whether TensorFlow finds the CUDA libraries that it was built for, and the GPUs and their driver can run it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cudnnlint.engine.doctor.describe import Build, Environment
from cudnnlint.engine.doctor.packages import BUILDS, requirement
from cudnnlint.engine.doctor.problem import Problem
from cudnnlint.finding import Level

CUDA = "and-cuda"
CUDNN = "nvidia-cudnn-cu"
OLD_CUDNN = ("Loaded runtime CuDNN library: {} but source was compiled with: {}. CuDNN library needs to have matching "
             "major version and equal or higher minor version")
NOT_FOUND = "Cannot dlopen some GPU libraries"
_LIBRARY = re.compile(r"libcudnn\.so\.(\d+)(?:\.(\d+))?(?:\.(\d+))?$")


class Wanted(NamedTuple):
    """The cuDNN that TensorFlow was built with; `minor` is 0 where it is not known."""

    major: int
    minor: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}" if self.minor else str(self.major)


def cuda_problems(environment: Environment) -> Iterator[Problem]:
    """In the order in which TensorFlow meets them; none for an environment without TensorFlow."""
    build = environment.build
    if build is None:
        return
    if not build.is_cuda:
        yield from _without_cuda(environment)
        return
    wanted = wanted_cudnn(environment, build)
    if wanted is not None:
        yield from _wheel(environment, wanted)
        yield from _shadowed(environment, wanted)
    yield from _driver(environment, build)
    if environment.gpus and not _libraries(environment):
        yield Problem("no-cuda-libraries", Level.WARNING,
                      f"neither wheels nor LD_LIBRARY_PATH have the libraries of CUDA {build.cuda} and cuDNN "
                      f"{build.cudnn}; TensorFlow finds the GPU only if the system has them", NOT_FOUND,
                      'pip install "tensorflow[and-cuda]"')
    yield from _capabilities(environment, build)


def wanted_cudnn(environment: Environment, build: Build) -> Wanted | None:
    """Of the extra and-cuda of the installed TensorFlow, else of its build."""
    for name in BUILDS:
        package = environment.packages.get(name)
        for text in package.requires if package else ():
            found = requirement(environment, text, CUDA)
            if found is not None and found.name.startswith(CUDNN):
                lows = [clause.version for clause in found.specifier if clause.operator in ("==", ">=", "~=")]
                if lows and (numbers := _numbers(lows[0])):
                    return Wanted(*numbers[:2])
    return Wanted(int(build.cudnn)) if build.cudnn.isdigit() else None


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def _wheel(environment: Environment, wanted: Wanted) -> Iterator[Problem]:
    """cuDNN's wheel against the one that TensorFlow was built with."""
    wheels = {name: package.version for name, package in environment.packages.items() if name.startswith(CUDNN)}
    if len(wheels) > 1:
        yield Problem("two-cudnns", Level.ERROR, f"{' and '.join(sorted(wheels))} are installed over each other",
                      help="uninstall both, and install one again")
    for name, version in wheels.items():
        major, minor = (*_numbers(version), 0, 0)[:2]
        level = Level.ERROR if environment.gpus else Level.WARNING
        if major != wanted.major:
            yield Problem("wrong-cudnn", level, f"TensorFlow was built for cuDNN {wanted}; {name} is {version}",
                          NOT_FOUND, 'pip install "tensorflow[and-cuda]"')
        elif minor < wanted.minor:
            yield Problem("wrong-cudnn", level, f"TensorFlow was built for cuDNN {wanted}; {name} is {version}",
                          OLD_CUDNN.format(version, wanted), 'pip install "tensorflow[and-cuda]"')


def _shadowed(environment: Environment, wanted: Wanted) -> Iterator[Problem]:
    """LD_LIBRARY_PATH comes before the places of the wheels (ld.so(8): DT_RUNPATH)."""
    for folder, names in environment.searched_libraries.items():
        found = [tuple(int(part or 0) for part in match.groups()) for name in names if (match := _LIBRARY.match(name))]
        full = [version for version in found if version[0] == wanted.major and any(version[1:])]
        for major, minor, patch in full:
            if minor < wanted.minor:
                yield Problem("shadowed-cudnn", Level.ERROR if environment.gpus else Level.WARNING,
                              f"LD_LIBRARY_PATH puts cuDNN {major}.{minor}.{patch} of {folder} before the wheels'; "
                              f"TensorFlow was built for {wanted}",
                              OLD_CUDNN.format(f"{major}.{minor}.{patch}", wanted),
                              f"take {folder} out of LD_LIBRARY_PATH")


def _libraries(environment: Environment) -> bool:
    """Whether any folder that is searched has a cuDNN."""
    folders: tuple[Mapping[str, tuple[str, ...]], ...] = (environment.wheel_libraries, environment.searched_libraries)
    return any(name.startswith("libcudnn.") for each in folders for names in each.values() for name in names)


def _driver(environment: Environment, build: Build) -> Iterator[Problem]:
    """A driver runs all CUDA of its major version (docs.nvidia.com, "CUDA Compatibility": minor version
    compatibility) and of those before."""
    major = _numbers(build.cuda)[:1]
    if not major or not environment.driver_cuda or environment.driver_cuda[0] >= major[0]:
        return
    has = ".".join(map(str, environment.driver_cuda))
    yield Problem("old-driver", Level.ERROR,
                  f"driver {environment.driver} is for CUDA {has} at most; TensorFlow was built for CUDA {build.cuda}",
                  "CUDA driver version is insufficient for CUDA runtime version", "install a newer driver")


def _capabilities(environment: Environment, build: Build) -> Iterator[Problem]:
    """A GPU older than all of the build's kernels is left alone; one that is newer needs the intermediate code."""
    kernels = [_capability(text) for text in build.capabilities]
    for index, gpu in enumerate(environment.gpus):
        if not gpu.capability or not kernels:
            continue
        has = ".".join(map(str, gpu.capability))
        name = f"GPU {index} ({gpu.name}, compute capability {has})"
        if gpu.capability < min(kernels):
            yield Problem("old-gpu", Level.ERROR, f"{name} is older than what TensorFlow was built for",
                          "Ignoring visible gpu device ... The minimum required Cuda capability is "
                          + ".".join(map(str, min(kernels))), "an older TensorFlow")
        elif gpu.capability[0] > max(kernel[0] for kernel in kernels):
            yield Problem("new-gpu", Level.WARNING, f"{name} is newer than what TensorFlow was built for",
                          "CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer",
                          "a newer TensorFlow")


def _capability(text: str) -> tuple[int, ...]:
    """
    >>> _capability("sm_89"), _capability("compute_120")
    ((8, 9), (12, 0))
    """
    digits = re.sub(r"\D", "", text)
    return int(digits[:-1]), int(digits[-1])


def _without_cuda(environment: Environment) -> Iterator[Problem]:
    """A GPU that a build without CUDA does not see."""
    if environment.gpus:
        names = ", ".join(dict.fromkeys(gpu.name for gpu in environment.gpus))
        windows = environment.platform == "win32"
        yield Problem("cpu-only-tensorflow", Level.WARNING,
                      f"this TensorFlow is built without CUDA and runs on the CPU; the machine has {names}",
                      help="WSL 2" if windows else 'pip install "tensorflow[and-cuda]"')


