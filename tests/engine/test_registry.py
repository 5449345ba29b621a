"""Rules are loaded when an event comes that they are told of, handlers when a program calls them, by their indexes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import cudnnlint

HEADING = '"""Convolutions are not liked.\n"""\n'
RULE = HEADING + """
from cudnnlint.events import LayerCreated
from cudnnlint.finding import Level
from cudnnlint.rules.protocol import rule


@rule("CUD399", "added-rule", Level.WARNING, since="0.1")
def check(event: LayerCreated):
    yield event.finding("a layer")
"""


def python(code: str, path: Path = Path(cudnnlint.__file__).parents[1]) -> str:
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(path)!r}); {code}"],
                          capture_output=True, text=True, check=False, cwd=path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_for(text: str) -> set[str]:
    told = python("from cudnnlint.engine.run import check; "
                  f"check(['-'], stdin={text.encode()!r}); "
                  "print(*(name for name in sys.modules if name.startswith('cudnnlint.rules.')))")
    return {name.rpartition(".")[2] for name in told.split()}


def test_a_file_loads_the_rules_of_what_happens_in_it() -> None:
    made = loaded_for("import keras\nkeras.layers.Conv2D(8, 3)\n")
    assert "non_positive_argument" in loaded_for("import keras\nkeras.layers.Conv2D(-1, 3)\n")
    assert "off_cudnn_path" not in made  # off by default
    assert "strides_with_dilation" not in made  # of failures
    assert "empty_training_run" not in made  # of training


def test_choosing_rules_loads_none() -> None:
    assert python("from cudnnlint.engine.settings.declared import Settings; "
                  "Settings().overridden({'select': ('CUD1', 'empty-batch')}); "
                  "print('cudnnlint.rules.protocol' in sys.modules)") == "False\n"


def test_a_rule_that_the_index_does_not_name_yet_speaks(tmp_path: Path) -> None:
    package = tmp_path / "cudnnlint"
    shutil.copytree(Path(cudnnlint.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "rules" / "parameters" / "added_rule.py").write_text(RULE)
    (package / "rules" / "parameters" / "broken_rule.py").write_text("import nothing_of_this_name\n")
    told = python("from cudnnlint.engine.run import check; "
                  "report = check(['-'], stdin=b'import keras\\nkeras.layers.Conv2D(8, 3)\\n'); "
                  "print(*(one.rule for one in report.findings)); print(*report.unloaded)", tmp_path)
    assert told.splitlines() == ["added-rule", "cudnnlint.rules.parameters.broken_rule does not load: "
                                 "ModuleNotFoundError: No module named 'nothing_of_this_name'"]


def test_a_file_loads_the_handlers_that_it_calls() -> None:
    told = python("from cudnnlint.engine.run import check; "
                  "check(['-'], stdin=b'import keras\\nx = keras.Input((8,))\\nkeras.activations.get(None)\\n'); "
                  "print(*(name for name in sys.modules if name.startswith('cudnnlint.frameworks.')))")
    made = {name.removeprefix("cudnnlint.frameworks.") for name in told.split()}
    assert {"keras.making", "keras.activations"} <= made
    assert not {"training.calls", "gradients.optimizers", "tfdata.making", "numpy.library", "pandas.frames",
                "torch.library"} & made


HANDLER = """
from cudnnlint.frameworks.keras.making import FRAMEWORK


@FRAMEWORK.on("keras.added")
def added(c):
    return c.machine.no_such_thing
"""


def test_a_handler_that_the_index_does_not_name_yet_is_called(tmp_path: Path) -> None:
    package = tmp_path / "cudnnlint"
    shutil.copytree(Path(cudnnlint.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "frameworks" / "added.py").write_text(HANDLER)
    (package / "frameworks" / "training" / "calls.py").write_text("import nothing_of_this_name\n")
    program = b"import keras\nkeras.added()\nkeras.Sequential().fit()\nkeras.layers.Conv2D(-1, 3)\n"
    told = python(f"from cudnnlint.engine.run import check; report = check(['-'], stdin={program!r}); "
                  "print(*(one.rule for one in report.findings)); print(*report.unloaded)", tmp_path)
    assert told.splitlines() == ["internal-error non-positive-argument", "cudnnlint.frameworks.training.calls does not "
                                 "load: ModuleNotFoundError: No module named 'nothing_of_this_name'"]


def test_a_star_import_loads_the_layers_that_are_used() -> None:
    text = "from keras.layers import *\nx = Dense(3)(Input((8,)))\n"
    told = python(f"from cudnnlint.engine.run import check; report = check(['-'], stdin={text.encode()!r}); "
                  "print(*(name.rpartition('.')[2] for name in sys.modules if name.startswith('cudnnlint.ops.')))")
    assert "dense" in told.split()
    assert not {"attention", "conv_lstm", "torch"} & {*told.split()}
