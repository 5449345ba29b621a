"""What is wrong with an environment is told; what is right, or cannot be known, is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine.doctor.describe import Build, Device, Environment, Package
from cudnnlint.engine.doctor.diagnosis import problems
from cudnnlint.engine.doctor.problem import Problem
from cudnnlint.finding import Level

TENSORFLOW = Package("2.18.0", requires=("keras>=3.5.0", "numpy<2.1.0,>=1.26.0", 'tensorflow-intel==2.18.0; '
                                         'platform_system == "Windows"',
                                         'nvidia-cudnn-cu12==9.3.0.75; extra == "and-cuda"'))
BUILD = Build("12.5.1", "9", ("sm_60", "sm_70", "sm_80", "sm_89", "compute_90"), True)
L4 = Device("NVIDIA L4", (8, 9), 24 * 2**30, 23 * 2**30)
GOOD = Environment(
    "3.11.4", packages={"tensorflow": TENSORFLOW, "keras": Package("3.6.0"), "numpy": Package("2.0.2"),
                        "nvidia-cudnn-cu12": Package("9.3.0.75")},
    build=BUILD, wheel_libraries={"/env/nvidia/cudnn/lib": ("libcudnn.so.9",)}, driver="550.54", driver_cuda=(12, 4),
    gpus=(L4,))


def told(environment: Environment) -> list[tuple[str, str]]:
    return [(problem.name, problem.level.value) for problem in problems(environment)]


def installed(**versions: str | None) -> Environment:
    """GOOD with other packages: None for one that is not there."""
    packages = dict(GOOD.packages)
    for name, version in versions.items():
        key = name.replace("_", "-")
        packages.pop(key, None)
        if version is not None:
            packages[key] = replace(GOOD.packages.get(key, Package(version)), version=version)
    return replace(GOOD, packages=packages)


def only(environment: Environment) -> Problem:
    (problem,) = problems(environment)
    return problem


def test_an_environment_that_is_in_order_has_no_problems() -> None:
    assert told(GOOD) == []
    assert told(replace(GOOD, gpus=(), driver="", driver_cuda=(), no_gpu="no NVIDIA driver")) == []
    assert told(Environment("3.12.0", packages={"torch": Package("2.4.0", requires=("numpy", "sympy>=1"))})) == []
    assert told(Environment("3.9.1", packages={"jax": Package("0.4.30"), "jaxlib": Package("0.4.30")})) == []


@pytest.mark.parametrize("environment, name, message", [
    (Environment("3.11.0"), "no-framework", "neither TensorFlow, Keras, PyTorch nor JAX is installed"),
    (installed(keras="2.15.0"), "unmet-requirement",
     "tensorflow 2.18.0 requires keras>=3.5.0, not the 2.15.0 that is installed"),
    (installed(numpy="2.3.0"), "unmet-requirement",
     "tensorflow 2.18.0 requires numpy<2.1.0,>=1.26.0, not the 2.3.0 that is installed"),
    (installed(keras=None), "missing-requirement", "tensorflow 2.18.0 requires keras, which is not installed"),
    (installed(nvidia_cudnn_cu12="8.9.7.29"), "wrong-cudnn",
     "TensorFlow was built for cuDNN 9.3; nvidia-cudnn-cu12 is 8.9.7.29"),
    (installed(nvidia_cudnn_cu12="9.1.0.70"), "wrong-cudnn",
     "TensorFlow was built for cuDNN 9.3; nvidia-cudnn-cu12 is 9.1.0.70"),
    (installed(nvidia_cudnn_cu11="9.3.0.75"), "two-cudnns",
     "nvidia-cudnn-cu11 and nvidia-cudnn-cu12 are installed over each other"),
    (replace(GOOD, driver="470.1", driver_cuda=(11, 4)), "old-driver",
     "driver 470.1 is for CUDA 11.4 at most; TensorFlow was built for CUDA 12.5.1"),
    (replace(GOOD, gpus=(Device("Quadro M4000", (5, 2)),)), "old-gpu",
     "GPU 0 (Quadro M4000, compute capability 5.2) is older than what TensorFlow was built for"),
])
def test_what_will_fail_is_an_error(environment: Environment, name: str, message: str) -> None:
    problem = only(environment)
    assert (problem.name, problem.level, problem.message) == (name, Level.ERROR, message)


def test_a_cudnn_with_a_newer_minor_version_is_taken() -> None:
    """cuda_dnn.cc: "matching major version and equal or higher minor version"."""
    assert told(installed(nvidia_cudnn_cu12="9.10.2.21")) == []


def test_without_a_gpu_a_wrong_cudnn_is_a_warning() -> None:
    assert told(replace(installed(nvidia_cudnn_cu12="8.9.7.29"), gpus=())) == [("wrong-cudnn", "warning")]


def test_the_error_that_people_search_for_is_quoted() -> None:
    problem = only(installed(nvidia_cudnn_cu12="9.1.0.70"))
    assert problem.error.startswith("Loaded runtime CuDNN library: 9.1.0.70 but source was compiled with: 9.3")
    assert only(installed(nvidia_cudnn_cu12="8.9.7.29")).error == "Cannot dlopen some GPU libraries"


def test_libraries_that_shadow_the_wheels_are_told() -> None:
    shadowed = replace(GOOD, searched_libraries={"/usr/local/cuda/lib64": ("libcudnn.so.9", "libcudnn.so.9.1.0")})
    problem = only(shadowed)
    assert (problem.name, problem.level) == ("shadowed-cudnn", Level.ERROR)
    assert "cuDNN 9.1.0 of /usr/local/cuda/lib64" in problem.message
    for names in (("libcudnn.so.9.5.0",), ("libcudnn.so.8.9.7",), ("libcudnn.so.9",), ("libcublas.so.12",)):
        assert told(replace(GOOD, searched_libraries={"/usr/local/cuda/lib64": names})) == []


@pytest.mark.parametrize("environment, name", [
    (installed(tensorflow_cpu="2.18.0"), "two-builds"),
    (replace(GOOD, packages={**GOOD.packages, "keras": Package("3.6.0", "/env", copies=2)}), "installed-twice"),
    (replace(GOOD, build=Build()), "cpu-only-tensorflow"),
    (replace(GOOD, wheel_libraries={}), "no-cuda-libraries"),
    (replace(GOOD, gpus=(Device("RTX 5090", (12, 0)),)), "new-gpu"),
])
def test_what_may_fail_is_a_warning(environment: Environment, name: str) -> None:
    assert told(environment) == [(name, "warning")]


def test_a_gpu_of_the_same_generation_as_the_newest_kernels_is_fine() -> None:
    for capability in ((6, 0), (6, 1), (7, 5), (8, 6), (9, 0)):
        assert told(replace(GOOD, gpus=(Device("GPU", capability),))) == []
    assert told(replace(GOOD, gpus=(Device("GPU"),))) == [], "a capability that is not known"


@pytest.mark.parametrize("variables, expected", [
    ({"TF_FORCE_GPU_ALLOW_GROWTH": "1"}, [("growth-not-understood", "warning")]),
    ({"TF_FORCE_GPU_ALLOW_GROWTH": "true"}, []),
    ({"TF_GPU_ALLOCATOR": "cuda_malloc_asynch"}, [("unknown-allocator", "warning")]),
    ({"TF_GPU_ALLOCATOR": "cuda_malloc_async"}, []),
    ({"CUDA_VISIBLE_DEVICES": ""}, [("hidden-gpus", "warning")]),
    ({"CUDA_VISIBLE_DEVICES": "-1"}, [("hidden-gpus", "warning")]),
    ({"CUDA_VISIBLE_DEVICES": "1"}, [("hidden-gpus", "warning")]),
    ({"CUDA_VISIBLE_DEVICES": "0,1"}, [("hidden-gpus", "warning")]),
    ({"CUDA_VISIBLE_DEVICES": "0"}, []),
    ({"CUDA_VISIBLE_DEVICES": "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"}, []),
    ({"XLA_FLAGS": "xla_gpu_autotune_level=0"}, [("xla-flags", "error")]),
    ({"XLA_FLAGS": "--xla_a=1 xla_b=2"}, [("xla-flags", "warning")]),
    ({"XLA_FLAGS": "--xla_gpu_cuda_data_dir=/nowhere"}, [("xla-flags", "warning")]),
    ({"XLA_FLAGS": "--xla_a=1 '--xla_b=c d'"}, []),
    ({"XLA_FLAGS": "--xla_a='"}, []),
    ({"KERAS_BACKEND": "jax"}, [("no-backend", "error")]),
    ({"KERAS_BACKEND": "theano"}, [("unknown-backend", "error")]),
    ({"KERAS_BACKEND": "tensorflow"}, []),
    ({"KERAS_BACKEND": "numpy"}, []),
    ({"TF_USE_LEGACY_KERAS": "1"}, [("no-legacy-keras", "error")]),
    ({"TF_USE_LEGACY_KERAS": "0"}, []),
    ({"PYTHONPATH": "/src"}, [("python-path", "info")]),
])
def test_variables_that_do_not_mean_what_they_seem_to_are_told(variables: dict[str, str],
                                                               expected: list[tuple[str, str]]) -> None:
    assert told(replace(GOOD, variables=variables)) == expected


def test_legacy_keras_is_fine_where_it_is_installed_or_part_of_tensorflow() -> None:
    legacy: dict[str, Any] = {"variables": {"TF_USE_LEGACY_KERAS": "1"}}
    assert told(replace(installed(tf_keras="2.18.0"), **legacy)) == []
    assert told(replace(installed(tensorflow="2.15.0"), **legacy)) == []


def test_a_file_of_flags_and_a_cuda_that_is_there_are_fine(tmp_path: Path) -> None:
    (tmp_path / "flags").touch()
    (tmp_path / "nvvm" / "libdevice").mkdir(parents=True)
    assert told(replace(GOOD, variables={"XLA_FLAGS": str(tmp_path / "flags")})) == []
    assert told(replace(GOOD, variables={"XLA_FLAGS": f"--xla_gpu_cuda_data_dir={tmp_path}"})) == []


def test_the_worst_comes_first() -> None:
    found = told(replace(installed(keras="2.15.0"), variables={"PYTHONPATH": "/a", "CUDA_VISIBLE_DEVICES": "-1"}))
    assert [level for _, level in found] == ["error", "warning", "info"]
