"""Model code of other files: of the project, and of packages that are installed in the target environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnnlint.engine.requirements.environment import packages_for, site_packages
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.tables.shapes import inferred
from cudnnlint.facts.libraries import _is_model_code
from cudnnlint.finding import Finding

ZOO = """
import functools
from keras import layers, models


def named(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        kwargs["layers"] = layers
        return function(*args, **kwargs)
    return wrapper


@named
def block(x, width, layers=None):
    x = layers.Conv2D(width, 3)(x)
    return layers.MaxPooling2D(2)(x)


def Net(size, width=8):
    x = inputs = layers.Input((size, size, 3))
    for _ in range(3):
        x = block(x, width)
    return models.Model(inputs, x)
"""
TRAIN = """
import keras
import zoo


def build(size):
    return zoo.Net(size)


model = build(16)
"""


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment with the package `zoo`."""
    site = tmp_path / "env" / "lib" / "python3.12" / "site-packages"
    (site / "zoo").mkdir(parents=True)
    (site / "zoo" / "__init__.py").write_text("from .nets import *\n")
    (site / "zoo" / "nets.py").write_text(ZOO)
    (tmp_path / "env" / "bin").mkdir()
    (tmp_path / "env" / "bin" / "python").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /nowhere/bin\n")
    return tmp_path / "env"


def findings_in(folder: Path, text: str, **settings: str) -> list[Finding]:
    (folder / "train.py").write_text(text)
    return list(check([str(folder / "train.py")], Settings(root=folder, **settings)).findings)


def test_what_is_modelled_is_not_read(tmp_path: Path, environment: Path) -> None:
    package = environment / "lib" / "python3.12" / "site-packages" / "einops"
    package.mkdir()
    (package / "__init__.py").write_text("import tensorflow\n\n\ndef rearrange(x, pattern, **sizes): ...\n")
    code = "import keras\nfrom einops import rearrange\n\nrearrange(keras.ops.zeros((2, 5)), 'a (b c) -> a b c', b=2)\n"
    assert [finding.rule for finding in findings_in(tmp_path, code, python=str(environment))] == [
        "reshape-size-mismatch"]


def test_a_finding_in_a_package_lands_at_the_users_call(tmp_path: Path, environment: Path) -> None:
    finding, = findings_in(tmp_path, TRAIN, python=str(environment))
    assert (Path(finding.span.path).name, finding.span.line, finding.span.column) == ("train.py", 7, 11)
    assert finding.rule == "empty-feature-map"
    assert finding.message.endswith("(in zoo/nets.py, line 16)")
    assert [(Path(call.path).name, call.line) for call in finding.calls] == [("train.py", 10)]
    assert [(Path(label.span.path).name, label.span.line, label.text) for label in finding.trace[-3:]] == [
        ("nets.py", 23, "called here"), ("nets.py", 10, "called here"), ("nets.py", 16, "fails here")]
    assert finding.fix is None


def test_without_the_environment_the_package_is_not_known(tmp_path: Path, environment: Path,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert not findings_in(tmp_path, TRAIN)
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    assert len(findings_in(tmp_path, TRAIN)) == 1


def test_a_comment_at_the_users_call_silences_it(tmp_path: Path, environment: Path) -> None:
    silent = TRAIN.replace("zoo.Net(size)", "zoo.Net(size)  # cudnnlint: ignore[empty-feature-map]")
    assert not findings_in(tmp_path, silent, python=str(environment))


def test_what_nobody_calls_in_a_package_is_not_told(tmp_path: Path, environment: Path) -> None:
    broken = environment / "lib" / "python3.12" / "site-packages" / "zoo" / "broken.py"
    broken.write_text("from keras import layers\nx = layers.MaxPooling2D(4)(layers.Input((2, 2, 3)))\nN = 3\n")
    text = "import keras\nfrom zoo.broken import N\nx = keras.layers.Dense(N)(keras.Input((2,)))\n"
    assert not findings_in(tmp_path, text, python=str(environment))


def test_nothing_of_the_environment_runs(tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nets = environment / "lib" / "python3.12" / "site-packages" / "zoo" / "nets.py"
    nets.write_text(ZOO + f"\nopen({str(tmp_path / 'ran')!r}, 'w').write('x')\n")
    findings_in(tmp_path, TRAIN, python=str(environment / "bin" / "python"))
    assert not (tmp_path / "ran").exists()


def test_the_projects_own_module_comes_first(tmp_path: Path, environment: Path) -> None:
    (tmp_path / "zoo.py").write_text("def Net(size):\n    return None\n")
    assert not findings_in(tmp_path, TRAIN, python=str(environment))


def test_a_package_that_names_no_framework_is_not_followed(tmp_path: Path, environment: Path) -> None:
    site = environment / "lib" / "python3.12" / "site-packages"
    (site / "sizes.py").write_text("SIZE = 2\n")
    text = "import keras\nimport sizes\nx = keras.layers.MaxPooling2D(4)(keras.Input((sizes.SIZE, 8, 3)))\n"
    assert not findings_in(tmp_path, text, python=str(environment))
    (site / "sizes.py").write_text("SIZE = 2  # for keras\n")
    _is_model_code.cache_clear()
    assert findings_in(tmp_path, text, python=str(environment))


def test_shapes_follow_installed_packages(tmp_path: Path, environment: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN.replace("16", "64"))
    found = inferred([str(tmp_path / "train.py")], Settings(root=tmp_path, python="env"))["layers"]
    assert [None, 6, 6, 8] in [row["output_shape"] for row in found if Path(row["path"]).name == "nets.py"]


LISTED = """
{imports}
from .sizes import SIZE
from .nets import *
from .last import Net

def size():
    return SIZE
"""


def test_of_a_long_list_of_imports_only_what_is_wanted_is_read(tmp_path: Path, environment: Path) -> None:
    zoo = environment / "lib" / "python3.12" / "site-packages" / "zoo"
    parts = range(40)
    (zoo / "__init__.py").write_text(LISTED.format(imports="\n".join(f"from .part{i} import b{i}" for i in parts)))
    for i in parts:  # together far more than is read
        (zoo / f"part{i}.py").write_text(f"import keras\nb{i} = {i}\n" + "# more\n" * 3000)
    (zoo / "sizes.py").write_text("SIZE = 16\n")
    (zoo / "last.py").write_text("from .nets import Net\n")
    text = "import keras\nimport zoo\nfrom zoo import b7\nmodel = zoo.Net(zoo.size() + b7 - 7)\n"
    finding, = findings_in(tmp_path, text, python=str(environment))
    assert (finding.span.line, finding.rule) == (4, "empty-feature-map")


def test_a_package_may_hold_its_modules_under_other_names(tmp_path: Path, environment: Path) -> None:
    zoo = environment / "lib" / "python3.12" / "site-packages" / "zoo"
    (zoo / "api" / "shapes").mkdir(parents=True)
    (zoo / "api" / "shapes" / "__init__.py").write_text("import keras\nfrom zoo.nets import Net\n")
    (zoo / "api" / "__init__.py").write_text("from zoo.api import shapes\n")
    (zoo / "__init__.py").write_text("from zoo.api import *\n__path__.append('api')\n")
    text = "import keras\nfrom zoo.shapes import Net\nmodel = Net(16)\n"
    assert len(findings_in(tmp_path, text, python=str(environment))) == 1


def test_a_module_that_has_another_keras_is_not_judged_by_this_one(tmp_path: Path, environment: Path) -> None:
    site = environment / "lib" / "python3.12" / "site-packages"
    layer = """
class Table({keras}.layers.Layer):
    def build(self, shape):
        self.table = self.add_weight("table", shape=(4, 3))
    def call(self, x):
        return x
"""
    text = "import keras\nimport lookup\ny = lookup.Table()(keras.Input((3,)))\n"
    (site / "lookup.py").write_text("import tensorflow as tf, tf_keras\n" + layer.format(keras="tf_keras"))
    assert not findings_in(tmp_path, text, python=str(environment))
    (site / "lookup.py").write_text("import keras\n" + layer.format(keras="keras"))
    assert findings_in(tmp_path, text, python=str(environment))


@pytest.mark.parametrize("python", ["env", "env/bin/python", "env/lib/python3.12/site-packages"])
def test_an_environment_is_found_by_its_layout(tmp_path: Path, environment: Path, python: str) -> None:
    expected = (str(environment / "lib" / "python3.12" / "site-packages"),)
    assert site_packages(str(tmp_path / python)) == expected
    assert packages_for(Settings(root=tmp_path, python=python)) == expected


def test_an_interpreter_that_is_a_link_belongs_to_the_environment_it_stands_in(environment: Path) -> None:
    other = environment.parent / "other"
    (other / "bin").mkdir(parents=True)
    (other / "bin" / "python").symlink_to(environment / "bin" / "python")
    site = str(environment / "lib" / "python3.12" / "site-packages")
    assert site_packages(str(other / "bin" / "python")) == (site,)
    (other / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    assert site_packages(str(other / "bin" / "python")) == (str(other / "lib" / "python3.11" / "site-packages"),)


def test_system_packages_count_where_the_environment_says_so(environment: Path) -> None:
    other = environment.parent / "other"
    (other / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
    (other / "pyvenv.cfg").write_text(f"home = {environment / 'bin'}\ninclude-system-site-packages = true\n")
    assert [Path(path).parents[2].name for path in site_packages(str(other))] == ["other", "env"]
    (other / "pyvenv.cfg").write_text(f"home = {environment / 'bin'}\ninclude-system-site-packages = false\n")
    assert [Path(path).parents[2].name for path in site_packages(str(other))] == ["other"]


def test_an_environment_that_is_not_there_is_noted(tmp_path: Path) -> None:
    notes: list[str] = []
    assert packages_for(Settings(root=tmp_path, python="nowhere"), notes) == ()
    assert notes == ["python: no packages found in nowhere: what is installed is not read"]


def test_a_finding_in_the_projects_model_says_who_calls_it(tmp_path: Path) -> None:
    (tmp_path / "zoo.py").write_text(ZOO)
    finding, = findings_in(tmp_path, TRAIN)
    assert (Path(finding.span.path).name, finding.span.line) == ("zoo.py", 16)
    assert [(Path(call.path).name, call.line) for call in finding.calls] == [
        ("train.py", 10), ("train.py", 7), ("zoo.py", 23), ("zoo.py", 10)]
