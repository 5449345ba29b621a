"""Notebooks that write modules and run other files: what is found there is found where it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.stack.deciding import stack_of
from cudnnlint.engine.tables.shapes import rows_of
from cudnnlint.source import Source

MODEL = """%%writefile {}
import keras
from keras import layers

def build(width):
    return keras.Sequential([keras.Input((8, 8, 3)), layers.Conv2D(width, 3), layers.Flatten(), layers.Dense(10)])
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, *cells: str) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    Path(name).write_text(json.dumps({"cells": made, "nbformat": 4}, indent=1))
    return name


def shapes(name: str) -> list[object]:
    """The outputs of Dense layers, as `cudnnlint shapes` tells them."""
    source = Source.read(name)
    rows = rows_of(source, stack=stack_of(source, Settings()))
    return [(row["output_shape"], row["params"]) for row in rows if row["layer"] == "Dense"]


def found(*names: str) -> list[tuple[str, str, int | None, int]]:
    report = check(names)
    return [(one.code, one.span.path, *report.sources[one.span.path].locate(one.span.line))
            for one in report.findings]


@pytest.mark.parametrize(("file", "module"), [
    ("model.py", "model"), ("./model.py", "model"), ("'model.py'", "model"), ("/content/model.py", "model"),
    ("/kaggle/working/trainer/model.py", "trainer.model"), ("trainer/model.py", "trainer.model"),
])
def test_a_module_that_a_cell_writes_can_be_imported(file: str, module: str) -> None:
    name = write("n.ipynb", MODEL.format(file), f"from {module} import build\nm = build(4)")
    assert shapes(name) == [([None, 10], 1450)]


def test_its_name_may_be_in_a_variable_and_its_text_in_several_cells() -> None:
    name = write("n.ipynb", "FILE = 'nets.py'", "%%writefile {FILE}\nimport keras\n", "%%writefile -a $FILE\n"
                 "def build(width):\n    return keras.layers.Dense(width)", "import nets, keras\n"
                 "y = nets.build(7)(keras.Input((4,)))")
    assert shapes(name) == [([None, 7], 35)]


def test_what_a_cell_writes_goes_before_what_lies_there() -> None:
    Path("model.py").write_text("SIZE = 3")
    name = write("n.ipynb", "%%writefile model.py\nSIZE = 5", "import keras\nfrom model import SIZE\n"
                 "y = keras.layers.Dense(SIZE)(keras.Input((4,)))")
    assert shapes(name) == [([None, 5], 25)]


def test_nothing_is_said_of_a_file_that_a_cell_only_goes_on_with() -> None:
    Path("model.py").write_text("SIZE = 3")
    name = write("n.ipynb", "%%writefile -a model.py\nOTHER = 5", "import keras\nfrom model import SIZE\n"
                 "y = keras.layers.Dense(SIZE)(keras.Input((4,)))")
    assert shapes(name) == [([None, None], None)]


def test_a_module_that_was_imported_stays_until_it_is_reloaded() -> None:
    use = "y = keras.layers.Dense(model.SIZE)(keras.Input((4,)))"
    name = write("n.ipynb", "%%writefile model.py\nSIZE = 5", f"import keras, importlib, model\n{use}",
                 "%%writefile model.py\nSIZE = 6", f"import model\n{use}", f"importlib.reload(model)\n{use}")
    assert shapes(name) == [([None, 5], 25), ([None, 5], 25), ([None, 6], 30)]


def test_a_package_in_a_directory_of_its_own_is_found_by_its_scripts() -> None:
    name = write("n.ipynb", MODEL.format("./taxi/trainer/model.py").replace("(8, 8, 3)", "(2, 2, 3)"),
                 "%%writefile taxi/trainer/task.py\nfrom trainer import model\nmodel.build(4)",
                 "%%bash\ndocker build .\nexport PYTHONPATH=taxi\npython3 -m trainer.task --width 3")
    assert found(name) == [("CUD101", "n.ipynb", 1, 6)]


def test_two_notebooks_may_write_the_same_file() -> None:
    names = [write(f"{size}.ipynb", f"%%writefile sizes.py\nSIZE = {size}", "import keras\nfrom sizes import SIZE\n"
                   "y = keras.layers.Conv2D(3, 5)(keras.Input((SIZE, SIZE, 3)))") for size in (9, 3, 7, 2)]
    assert {each[:2] for each in found(*names)} == {("CUD101", "3.ipynb"), ("CUD101", "2.ipynb")}


def test_a_script_that_nothing_imports_is_checked_in_its_cell() -> None:
    name = write("n.ipynb", "import keras", MODEL.format("trainer/model.py").replace("(8, 8, 3)", "(2, 2, 3)"),
                 "%%writefile trainer/task.py\nfrom trainer.model import build\nif __name__ == '__main__':\n"
                 "    build(4)", "!python -m trainer.task")
    assert found(name) == [("CUD101", "n.ipynb", 2, 6)]


@pytest.mark.parametrize(("last", "is_checked"), [
    ("estimator = TensorFlow(entry_point='model.py', framework_version='1.12')", False),
    ("%%writefile Dockerfile\nFROM tensorflow/tensorflow:1.15.0", False),
    ("%%writefile Dockerfile\nFROM tensorflow/tensorflow:1.15.0\nRUN x", False), ("!python model.py", True),
    ("%%bash\ndocker build .\npython3 -m model --width 3", True)])
def test_a_script_that_runs_with_other_versions_is_left_alone(last: str, is_checked: bool) -> None:
    name = write("n.ipynb", MODEL.format("model.py").replace("(8, 8, 3)", "(2, 2, 3)"), last)
    assert bool(found(name)) == is_checked


@pytest.mark.parametrize("cell", [
    "%%writefile", "%%writefile -a", "%%writefile a b.py", "%%writefile bad.py\nimport keras\ndef (:",
    "%%writefile {nowhere}/bad.py\nimport keras", "%run", "%run .", "%run ''", "%run n.ipynb", "%run 'bad.py'"])
def test_odd_commands_do_no_harm(cell: str) -> None:
    name = write("n.ipynb", cell, "import keras\nimport bad\nfrom bad import size",
                 "y = keras.layers.Dense(3)(keras.Input((4,)))", "y = keras.layers.Dense(-1)")
    assert [one[0] for one in found(name)] == ["CUD301"]
    assert shapes(name) == [([None, 3], 15)]


def test_comments_in_the_cell_silence_what_is_found_there() -> None:
    name = write("n.ipynb", "%%writefile model.py\nimport keras\n"
                 "y = keras.layers.Conv2D(3, 5)(keras.Input((2, 2, 3)))  # noqa: CUD101")
    assert found(name) == []


@pytest.mark.parametrize("command", ["%run common.ipynb", "%run ./common", "if True:\n    %run 'common.ipynb'  # all"])
def test_a_notebook_that_is_run_leaves_its_names(command: str) -> None:
    write("common.ipynb", "import keras\n%matplotlib inline\nSIZE = 6", "block = keras.layers.Dense(SIZE)")
    name = write("n.ipynb", command, "y = block(keras.Input((4,)))")
    assert shapes(name) == [([None, 6], 30)]


def test_a_script_that_is_run_has_names_of_its_own_unless_it_shares_them() -> None:
    Path("sized.py").write_text("SIZE = 6\n")
    Path("block.py").write_text("import keras\nSIZE = 9 if 'SIZE' not in globals() else SIZE\n"
                                "block = keras.layers.Dense(SIZE)\n")
    apart = write("a.ipynb", "%run sized.py\n%run block.py", "y = block(keras.Input((4,)))")
    together = write("b.ipynb", "%run sized.py\n%run -i block.py", "y = block(keras.Input((4,)))")
    assert shapes(apart) == [([None, 9], 45)]
    assert shapes(together) == [([None, 6], 30)]


def test_what_is_fed_to_a_model_of_a_notebook_that_is_run_is_judged() -> None:
    write("common.ipynb", "import keras\nmodel = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2)])\n"
          "model.compile('adam', 'mse')")
    name = write("n.ipynb", "%run common.ipynb\nimport numpy as np", "model.fit(np.zeros((9, 7)), np.zeros((9, 2)))")
    assert [one[1:] for one in found(name)] == [("n.ipynb", 2, 1)]


@pytest.mark.parametrize("command", ["%run n.ipynb", "%run ../outside.py", "%run train.py --width 3", "%run -m train",
                                     "%run {nowhere}", "%run train.sh"])
def test_what_is_not_followed_leaves_the_notebook_as_it_is(command: str, here: Path) -> None:
    (here / "train.py").write_text("x = 1")
    (here / "below").mkdir()
    (here / "outside.py").write_text("SIZE = 3")
    (here / "below" / "pyproject.toml").touch()
    name = write("n.ipynb", f"import keras\nSIZE = 5\n{command}", "y = keras.layers.Dense(SIZE)(keras.Input((4,)))")
    assert shapes(name) == [([None, 5], 25)]


def test_what_a_star_binds_may_be_the_class_of_another_cell() -> None:
    """Cells are run in any order."""
    name = write("n.ipynb", "from keras.layers import *\nx = Attention(8)(Input((5, 4)))",
                 "class Attention(Layer):\n    def call(self, x):\n        return x")
    assert found(name) == []


def test_a_function_is_timed_where_it_stands() -> None:
    timed = write("timed.ipynb", "import keras\nfrom keras import layers", "n = 3",
                  "def build():\n    return keras.Sequential([keras.Input((8,)), layers.Dense(n)])",
                  "%timeit -n1 -r1 build()", "n = 5")
    assert shapes(timed) == [([None, 3], 27)]


def test_functions_of_a_notebook_are_not_called_once_what_they_use_is_another() -> None:
    later = write("later.ipynb", "import keras\nfrom keras import layers", "n = 3",
                  "def build():\n    return keras.Sequential([keras.Input((8,)), layers.Dense(n)])", "n = 5")
    kept = write("kept.ipynb", "import keras\nfrom keras import layers",
                 "def build():\n    return keras.Sequential([keras.Input((8,)), layers.Dense(n)])", "n = 5")
    assert shapes(later) == []
    assert shapes(kept) == [([None, 5], 45)]
