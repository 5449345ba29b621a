"""Requirements of a project are judged by what the wheels say, at the line that asks for what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from cudnnlint.engine.requirements.clashes import TABLES
from cudnnlint.engine.requirements.files import LARGEST, is_requirements
from cudnnlint.engine.requirements.ranges import disjoint
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.facts.wheels import PYTHONS, releases

PAIR = "tensorflow==2.15.0\nkeras==3.3.3\n"
CLASH = ("incompatible-requirements", 2)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def found(files: dict[str, str], asked: str = ".", settings: Settings | None = None) -> list[tuple[str, str, int]]:
    """(path, rule, line) of what is found."""
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    report = check([asked], settings or Settings())
    return [(finding.span.path, finding.rule, finding.span.line) for finding in report.findings]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-gpu.txt", "dev_requirements.in",
                                  "requirements/train.txt"])
def test_requirements_are_found_below_a_directory_and_by_name(name: str) -> None:
    assert found({name: PAIR}) == [(name, *CLASH)]
    assert found({}, name) == [(name, *CLASH)]


def test_a_finding_marks_the_requirement_and_shows_the_other_one() -> None:
    Path("requirements.txt").write_text("# pinned\ntensorflow==2.15.0\nkeras == 3.3.3  # new\n", encoding="utf-8")
    (finding,) = check(["."], Settings()).findings
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (3, 0, len("keras == 3.3.3"))
    assert finding.message == "tensorflow 2.15.0 requires keras>=2.15.0,<2.16, not keras == 3.3.3"
    assert [label.span.line for label in finding.trace] == [2]


@pytest.mark.parametrize("text", [
    "tensorflow\nkeras==3.3.3\n",
    "tensorflow>=2.10\nkeras==2.9\n",
    "tensorflow>=2.15,<2.17\nkeras==3.3.3\n",  # 2.16 takes it
    "tensorflow==2.15.0\nkeras\n",
    "tensorflow==1.15.0\nkeras==3.3.3\n",  # not in the table
    "tensorflow==2.99.0\nkeras==2.3\n",
    'tensorflow==2.15.0; python_version < "3.12"\nkeras==3.3.3\n',
    'tensorflow==2.15.0; sys_platform == "win32"\nkeras==3.3.3\n',
    "tensorflow @ https://example.org/tensorflow-2.15.0.whl\nkeras==3.3.3\n",
    "tensorflow=2.15\nkeras==3.3.3\n",  # no requirement
    "torch==2.1.0\nnvidia-cudnn-cu12==8.9.2.26\ntensorflow==2.18.0\n",
    "faster-whisper==1.0.2\nnvidia-cudnn-cu12==8.9.2.26\ntensorflow==2.18.0\n",
    "tensorflow[and-cuda]==2.20.0\nnvidia-cudnn-cu12==9.5.0.50\n",
    "tensorflow==2.18.0\nnvidia-cudnn-cu12>=8.9\n",
    "tensorflow-cpu==2.15.0\n",
    "tensorflow-gpu==2.10.0\n",
    "tensorflow-gpu<2.12\n",
    "torch==2.0.1+cu118\ntorchvision==0.15.2+cu118\ntorchaudio==2.0.2\n",
    "torch>=2.0\ntorchvision==0.15.2\n",
    "torch==2.1.0\ntorchvision\n",
])
def test_what_is_not_certain_is_silent(text: str) -> None:
    assert found({"requirements.txt": text}) == []


@pytest.mark.parametrize("text, rule, line", [
    ("tensorflow~=2.15.0\nkeras>=3\n", "incompatible-requirements", 2),
    ("tensorflow==2.15.*\nkeras>=3,<4\n", "incompatible-requirements", 2),
    ('tensorflow==2.15.0; sys_platform == "linux"\nkeras==3.0\n', "incompatible-requirements", 2),
    ("tensorflow==2.3.1 \\\n    --hash=sha256:00\nnumpy==1.24.0\n", "incompatible-requirements", 3),
    ("tensorflow-cpu==2.15.0\nkeras==3.0\n", "incompatible-requirements", 2),
    ("TensorFlow==2.16.1\nTF_Keras==2.17.0\n", "incompatible-requirements", 1),
    ("tensorflow[and-cuda]==2.17.0\nnvidia-cublas-cu12==12.1.3.1\n", "incompatible-cuda-stack", 2),
    ("tensorflow[and-cuda]==2.17.0\ntorch==2.1.0\nnvidia-cudnn-cu12==8.9.2.26\n", "incompatible-cuda-stack", 3),
    ("tensorflow==2.18.0\nnvidia-cudnn-cu12==9.1.0.70\n", "incompatible-cuda-stack", 2),
    ("tensorflow-gpu>2\n", "removed-tensorflow-gpu", 1),
    ("torch==2.1.0+cu118\ntorchvision==0.15.2+cu118\n", "incompatible-requirements", 1),
    ("torchaudio==2.1.0\ntorch==2.2.1\n", "incompatible-requirements", 2),
    ("tensorflow-text==2.15.0\ntensorflow==2.13.1\n", "incompatible-requirements", 2),
])
def test_what_is_certain_is_found(text: str, rule: str, line: int) -> None:
    assert found({"requirements.txt": text}) == [("requirements.txt", rule, line)]


def test_included_files_are_installed_together_and_findings_lie_where_the_line_is() -> None:
    files = {"requirements.txt": "-r base.txt\n-c limits/constraints.txt\n", "base.txt": "tensorflow==2.15.0\n",
             "limits/constraints.txt": "# all\nkeras==3.0\n-r ../requirements.txt\n"}
    Path("requirements.txt").parent.mkdir(exist_ok=True)
    assert found({**files, "requirements.txt": files["requirements.txt"] + "tensorflow\n"}) == [
        ("limits/constraints.txt", *CLASH)]


def test_standard_input_is_what_it_is_said_to_be() -> None:
    report = check(["-"], Settings(), stdin=PAIR.encode(), stdin_filename="requirements.txt")
    assert [(finding.rule, finding.span.line) for finding in report.findings] == [CLASH]


PYPROJECT = """\
[project]
name = "x"
requires-python = ">=3.12"
dependencies = ["tensorflow==2.15.0"]
"""
POETRY = """\
[tool.poetry.dependencies]
python = "^3.9"
tensorflow = "2.15.0"
keras = {version = "^3.0"}
torch = {version = "^1.0", markers = "python_version > '3'"}
"""
EXTRAS = """\
[project]
dependencies = [
    "tensorflow==2.15.0",
]
[project.optional-dependencies]
new = ["keras==3.3.3"]
"""
PIPFILE = """\
[packages]
tensorflow = "==2.15.0"
keras = "*"
[requires]
python_version = "3.12"
"""
CONDA = """\
dependencies:
  - python=3.12
  - tensorflow=2.10
  - keras=3
  - pip:
    - tensorflow==2.15.0
  - pip
"""


@pytest.mark.parametrize("name, text, line", [
    ("pyproject.toml", PYPROJECT, 4), ("pyproject.toml", POETRY, 4), ("pyproject.toml", EXTRAS, 6),
    ("Pipfile", PIPFILE, 2), ("environment.yml", CONDA, 6)])
def test_other_files_that_list_requirements_are_read(name: str, text: str, line: int) -> None:
    assert found({name: text}) == [(name, "incompatible-requirements", line)]


@pytest.mark.parametrize("name, text", [
    (".python-version", "3.12.4\n"), ("runtime.txt", "python-3.12.4"),
    ("pyproject.toml", '[project]\nname = "x"\nrequires-python = ">=3.12"\n')])
def test_the_python_of_the_directory_counts(name: str, text: str) -> None:
    assert found({name: text, "requirements.txt": "tensorflow==2.15.0\n"}) == [
        ("requirements.txt", "incompatible-requirements", 1)]


@pytest.mark.parametrize("python", [">=3.8", ">=3.11,<3.13", "^3.9", "~3.11", "==3.11.*", "not a version", "*"])
def test_a_python_that_may_have_a_wheel_is_silent(python: str) -> None:
    assert found({"pyproject.toml": PYPROJECT.replace(">=3.12", python)}) == []


def test_where_uv_overrides_what_packages_require_nothing_is_said() -> None:
    assert found({"pyproject.toml": EXTRAS + '[tool.uv]\noverride-dependencies = ["keras==3.3.3"]\n'}) == []


@pytest.mark.parametrize("name, text", [
    ("pyproject.toml", "[project\ntensorflow"), ("Pipfile", 'packages = "tensorflow"'),
    ("pyproject.toml", '[project]\ndependencies = "tensorflow==2.15"\n[tool]\npoetry = 3\n'),
    ("environment.yml", "- pip:\n  - ]tensorflow\x00\n"), ("requirements.txt", "-r requirements.txt\ntensorflow==\n"),
    ("requirements.txt", "tensorflow==2.15\n" + "#" * LARGEST + "\nkeras==3\n"), ("requirements.txt", "-r\ntensorflow"),
    ("requirements.txt", "-r /\n-r .\ntensorflow"), ("requirements.txt", f"tensorflow=={'9' * 5000}\nkeras==1\n"),
])
def test_broken_and_huge_files_say_nothing(name: str, text: str) -> None:
    assert found({name: text}) == []


def test_comments_and_settings_silence_it_as_elsewhere() -> None:
    assert found({"requirements.txt": PAIR.replace("3.3.3", "3.3.3  # noqa: CUD804")}) == []
    assert found({"requirements.txt": f"# cudnnlint: skip-file\n{PAIR}"}) == []
    text = {"requirements.txt": PAIR}
    assert found(text, settings=Settings(ignore=("incompatible-requirements",))) == []
    assert found(text, settings=Settings(per_file_ignores={"requirements.txt": ("CUD8",)})) == []
    assert found(text, settings=Settings(extend_exclude=("requirements.txt",))) == []


def test_files_that_list_no_framework_are_not_counted() -> None:
    assert found({"requirements.txt": "requests==2.0\n"}) == []
    assert check(["."], Settings()).files == ()
    assert found({"requirements.txt": "tensorflow==2.15.0\n"}) == []
    assert check(["."], Settings()).files == ("requirements.txt",)


@pytest.mark.parametrize("name", ["train.py", "notes.txt", "requirements.md", "requirements.py", "poetry.lock",
                                  "uv.lock", "setup.py", "ci.yml"])
def test_other_files_are_not_taken_for_requirements(name: str) -> None:
    assert not is_requirements(name)


def test_the_table_says_what_the_wheels_say() -> None:
    """As pip reports for tensorflow 2.16.1 and tf_keras 2.16.0."""
    one = next(release for release in releases("tensorflow") if str(release.version) == "2.16.1")
    assert one.pythons == ("3.9", "3.10", "3.11", "3.12")
    assert list(map(str, one.cuda["nvidia-cudnn-cu12"])) == ["==8.9.7.29"]
    assert list(map(str, one.requires["numpy"])) == ["<2.0.0,>=1.23.5", "<2.0.0,>=1.26.0"], "by Python"
    legacy = next(release for release in releases("tf-keras") if str(release.version) == "2.16.0")
    assert list(map(str, legacy.requires["tensorflow"])) == ["<2.17,>=2.16"]


def test_the_table_is_whole() -> None:
    for package in set(TABLES.values()):
        known = releases(package)
        assert known and list(known) == sorted(known, key=lambda release: release.version)
        assert all(release.pythons and set(release.pythons) <= set(PYTHONS) for release in known)
    assert {str(release.version)[:4] for release in releases("tensorflow") if release.cuda} >= {"2.14", "2.15", "2.21"}


CLAUSES = st.builds("{}{}".format, st.sampled_from(["==", ">=", "<=", ">", "<", "!=", "~="]),
                    st.sampled_from(["1.0", "1.1", "1.2", "2.0", "2.1.3", "3.0"]))
SPECIFIERS = st.lists(st.one_of(CLAUSES, st.sampled_from(["==1.*", "==2.1.*"])), max_size=3).map(",".join)
VERSIONS = [f"{major}.{minor}.{patch}" for major in range(5) for minor in range(4) for patch in range(5)]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(SPECIFIERS, SPECIFIERS)
def test_ranges_are_called_disjoint_only_if_no_version_meets_both(one: str, other: str) -> None:
    first, second = SpecifierSet(one), SpecifierSet(other)
    both = [version for version in VERSIONS if first.contains(version) and second.contains(version)]
    assert not (both and disjoint(first, second))


WORDS = st.sampled_from([
    "tensorflow", "tensorflow-gpu", "keras", "tf_keras", "[and-cuda]", "nvidia-cudnn-cu12", "==", ">=", "<", "~=", "!=",
    "2.15.0", "3", "2.*", "9.1.0.70", " ", "\n", "\\\n", "#", ";", "python_version", "'3.9'", "-r ", "requirements.txt",
    "-c", "[project]\n", "dependencies = [", "]", '"', "requires-python = ", "[tool.poetry.dependencies]\n", "python=",
    "=", "{", "}", "- pip:\n", "  - ", "- ", "python=3.12", "[packages]\n", "[requires]\n", "\x00", "é", "\ufeff", ","])


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(WORDS, max_size=30).map("".join),
       st.sampled_from(["requirements.txt", "pyproject.toml", "Pipfile", "environment.yml"]))
def test_whatever_a_file_says_nothing_crashes(text: str, name: str) -> None:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    try:
        report = check([name], Settings())
        assert [finding.rule for finding in report.findings if finding.rule == "internal-error"] == []
        for finding in report.findings:
            lines = report.sources[finding.span.path].lines
            assert 1 <= finding.span.line <= max(len(lines), 1)
    finally:
        path.unlink()
