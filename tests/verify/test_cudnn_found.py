"""Which installed cuDNN is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnnlint.verify.cudnn_found import cudnn_in, library_in


def made(*parts: str | Path) -> str:
    path = Path(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return str(path)


def test_what_a_program_would_load_is_asked(tmp_path: Path) -> None:
    """The search path before the wheels, these before the system (ld.so(8))."""
    searched = made(tmp_path, "other", "libcudnn.so.8")
    wheel = made(tmp_path, "site-packages", "nvidia", "cudnn", "lib", "libcudnn.so.9")
    named = made(tmp_path, "cuda", "lib64", "libcudnn.so.9")
    system = made(tmp_path, "usr", "libcudnn.so.8")
    packages, usual = [str(tmp_path / "site-packages")], [str(tmp_path / "usr")]
    variables = {"LD_LIBRARY_PATH": str(tmp_path / "other"), "CUDA_HOME": str(tmp_path / "cuda")}
    assert cudnn_in(packages, variables, "", usual) == searched
    del variables["LD_LIBRARY_PATH"]
    assert cudnn_in(packages, variables, "", usual) == wheel
    assert cudnn_in([], variables, "", usual) == named
    assert cudnn_in([], {}, "", usual) == system
    assert cudnn_in([], {}, "", []) == ""


def test_a_conda_environment_has_it_in_its_lib(tmp_path: Path) -> None:
    library = made(tmp_path, "lib", "libcudnn.so.9.1.0")
    assert cudnn_in([], {}, str(tmp_path), []) == library


@pytest.mark.parametrize(("names", "found"), [
    (("libcudnn.so.8", "libcudnn.so.9"), "libcudnn.so.9"),
    (("libcudnn.so.9", "libcudnn.so.10"), "libcudnn.so.10"),
    (("libcudnn.so.8.9.7", "libcudnn.so.8"), "libcudnn.so.8"),
    (("libcudnn_ops.so.9", "libcudnn_cnn.so.9"), "libcudnn_ops.so.9"),
    (("libcudnn_ops_infer.so.8",), "libcudnn_ops_infer.so.8"),
    (("cudnn64_9.dll", "cudnn64_8.dll"), "cudnn64_9.dll"),
    (("libcudnn.9.dylib",), "libcudnn.9.dylib"),
    (("libcudnn_static.a", "cudnn.h"), ""),
])
def test_the_newest_of_a_directory_is_taken(tmp_path: Path, names: tuple[str, ...], found: str) -> None:
    for name in names:
        made(tmp_path, name)
    assert Path(library_in(str(tmp_path))).name == found if found else library_in(str(tmp_path)) == ""


def test_relative_directories_of_the_search_path_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be the project's."""
    made(tmp_path, "libs", "libcudnn.so.9")
    monkeypatch.chdir(tmp_path)
    assert cudnn_in([], {"LD_LIBRARY_PATH": "libs:."}, "", []) == ""


def test_brackets_in_a_path_are_no_pattern(tmp_path: Path) -> None:
    assert library_in(str(tmp_path / "a[b]")) == ""
    library = made(tmp_path, "a[b]", "libcudnn.so.9")
    assert library_in(str(tmp_path / "a[b]")) == library
