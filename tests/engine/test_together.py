"""What is found in a file does not hang on which other files are looked at in the same run."""

from __future__ import annotations

import gc
import textwrap
import weakref
from pathlib import Path

import pytest

from cudnnlint.engine import registry
from cudnnlint.engine.overruled import told
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.events import BoundHit, Event, LayerApplied
from cudnnlint.interp import analyse
from cudnnlint.interp.limits import Limits
from cudnnlint.interp.shared import Shared
from cudnnlint.source import Source
from cudnnlint.values import Stack

BLOCKS = """
    import keras
    class Block(keras.layers.Layer):
        def __init__(self, filters, **kwargs):
            super().__init__(**kwargs)
            self.convolutions = [keras.layers.Conv2D(filters, 3, padding="same") for _ in range(4)]
        def call(self, x):
            for convolution in self.convolutions:
                x = convolution(x)
            return x
"""
MANY = """
    import keras
    import tensorflow as tf
    from blocks import Block
    {first}
    x = keras.Input((32, 32, 8))
    for filters in (8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96):
        x = Block(filters)(x)
"""


def test_a_method_that_fit_calls_is_told_of_in_the_file_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "logger.py").write_text(textwrap.dedent("""
        import keras
        class Logger(keras.callbacks.Callback):
            def on_epoch_begin(self, logs=None):
                print(logs)
    """))
    (tmp_path / "train.py").write_text(textwrap.dedent("""
        import keras
        import numpy as np
        from logger import Logger
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(np.zeros((8, 4)), np.zeros((8, 1)), callbacks=[Logger()])
    """))
    registry.load()
    (finding,) = check([tmp_path], Settings()).findings
    assert (Path(finding.span.path).name, finding.span.line) == ("logger.py", 4)


def _applied(path: Path, shared: Shared) -> tuple[int, list[str]]:
    """How many layers the file applies before its bound is hit, and what gave up."""
    seen: list[Event] = []
    analyse(Source.read(str(path)), stack=Stack(), emit=seen.append, shared=shared, limits=Limits(steps=900))
    return (sum(isinstance(event, LayerApplied) for event in seen),
            [event.what for event in seen if isinstance(event, BoundHit)])


@pytest.mark.parametrize("first", ["", "tf.constant([1.0])"])
def test_a_bound_is_hit_where_it_is_without_the_others(tmp_path: Path, first: str) -> None:
    registry.load()
    (tmp_path / "blocks.py").write_text(textwrap.dedent(BLOCKS))
    for name, before in (("one.py", first), ("other.py", "")):
        (tmp_path / name).write_text(textwrap.dedent(MANY.format(first=before)))
    alone = _applied(tmp_path / "other.py", Shared())
    together = Shared()
    _applied(tmp_path / "one.py", together)
    assert _applied(tmp_path / "other.py", together) == alone
    assert 0 < alone[0] < 4 * 12
    assert alone[1] == ["step limit"]


def test_what_one_file_asks_of_a_library_is_not_known_in_the_next(tmp_path: Path) -> None:
    (tmp_path / "compat.py").write_text('import tensorflow as tf\nHAS_NUMPY = hasattr(tf, "numpy_function")\n')
    (tmp_path / "asking.py").write_text('import tensorflow as tf\nimport compat\nOLD = hasattr(tf, "to_float")\n')
    (tmp_path / "using.py").write_text("import tensorflow as tf\nimport compat\nx = tf.to_float(tf.zeros(3))\n")
    alone = check([tmp_path / "using.py"], Settings()).findings
    together = check([tmp_path / "asking.py", tmp_path / "using.py"], Settings()).findings
    assert [finding.rule for finding in alone] == ["removed-api"]
    assert [finding.rule for finding in together] == ["removed-api"]


SAVED = """import keras
{imports}
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.save("{name}")
"""


def test_what_an_imported_file_does_too_is_told_of_the_file_itself(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(SAVED.format(imports="", name="first"))
    (tmp_path / "second.py").write_text(SAVED.format(imports="import first", name="second"))
    for asked in ([tmp_path / "second.py"], [tmp_path / "first.py", tmp_path / "second.py"]):
        found = check(asked, Settings()).findings
        assert [(finding.rule, finding.span.line) for finding in found if finding.span.path.endswith("second.py")] == [
            ("unusable-file-name", 4)]


def test_what_an_imported_file_spells_as_for_keras_1_is_judged_where_it_is_for_that(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        'from keras.layers import Convolution2D, Embedding, Input\nconvs = [Convolution2D(8, 3, 3, border_mode="same"),'
        ' Convolution2D(8, 3, 3, border_mode="same"), Convolution2D(8, 3, 3, border_mode="same")]\n'
        'def build(size):\n    return Embedding(10, size, init="uniform")(Input((1,)))\n')
    (tmp_path / "train.py").write_text("import keras, net\nx = net.build(100)\n")
    assert {finding.rule for finding in check([tmp_path], Settings()).findings} == {"unpinned-old-api"}


def test_what_a_caller_hands_an_imported_function_is_told_of_there(tmp_path: Path) -> None:
    (tmp_path / "optim.py").write_text("import keras\ndef sgd(rate, **more):\n"
                                        "    return keras.optimizers.SGD(rate, **more)\n")
    (tmp_path / "train.py").write_text('import keras, optim\noptimizer = optim.sgd(0.1, **{"lr": 0.1})\n')
    found = check([tmp_path / "optim.py", tmp_path / "train.py"], Settings(keras="3.15")).findings
    assert [(finding.rule, Path(finding.span.path).name, finding.span.line) for finding in found] == [
        ("removed-argument", "optim.py", 3)]


DEEP = """from keras import Input, layers
def build(side=32, depth={depth}):
    x = Input((side, side, 3))
    for _ in range(depth):
        x = layers.MaxPooling2D()(layers.Conv2D(8, 3)(x))
    return x
"""


@pytest.mark.parametrize(("call", "found"), [("build(256)", 0), ("build(depth=2)", 0), ("build(256, 7)", 1),
                                             ("build()", 1), ("build(**settings())", 0), ("print(build)", 1)])
def test_defaults_that_other_files_give_other_values_for_are_not_judged(tmp_path: Path, call: str, found: int) -> None:
    """What fails with the values of the callers is found of them."""
    (tmp_path / "net.py").write_text(DEEP.format(depth=6))
    (tmp_path / "main.py").write_text(f"import keras\nfrom net import build\n{call}\n")
    for cached in (True, True, False):
        report = check([tmp_path / "net.py", tmp_path / "main.py"], Settings(), cached=cached)
        assert [finding.rule for finding in report.findings] == ["empty-feature-map"] * found


@pytest.mark.parametrize(("line", "left"), [("keras.optimizers.Adam(lr=rate)", 1), ("keras.layers.Dropout(rate)", 0)])
def test_what_a_call_names_is_judged_whatever_callers_give(tmp_path: Path, line: str, left: int) -> None:
    """A caller may end before it comes to that call."""
    path = tmp_path / "optim.py"
    path.write_text(f"import keras\n\ndef made(rate=7.0):\n    return {line}\n")
    findings = check([path], Settings()).findings
    assert len(findings) == 1
    assert len(told(findings, {(findings[0].span.path, 3): [frozenset({"rate"})]}, str)) == left


def test_what_one_file_changes_in_an_imported_module_is_as_it_was_in_the_next(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(textwrap.dedent("""
        DEFAULTS = {"units": 8}

        def take(params):
            params["_units"] = params["units"]
            del params["units"]
            return params
    """))
    for name in ("learn.py", "play.py"):
        (tmp_path / name).write_text("import keras\nimport config\nparams = config.take(config.DEFAULTS)\n"
                                     'y = keras.layers.Dense(params["_units"])(keras.Input((3,)))\n')
    assert check([tmp_path / "learn.py", tmp_path / "play.py"], Settings()).findings == ()


WIDTHS = """import keras
from blocks import Block
x = Block({filters})(keras.Input((8, 8, {channels})))
keras.layers.Reshape((1, 1))(x)
"""


def test_files_of_several_projects_are_found_in_by_what_is_theirs(tmp_path: Path) -> None:
    """Whichever way the run goes through them, and back."""
    for name in ("one", "two"):
        (tmp_path / name / "nets").mkdir(parents=True)
        (tmp_path / name / "setup.py").write_text("")
        (tmp_path / name / "nets" / "blocks.py").write_text(textwrap.dedent(BLOCKS))
        for file in ("first.py", "last.py"):
            (tmp_path / name / "nets" / file).write_text(WIDTHS.format(filters=len(name) + 1, channels=4))
    files = [tmp_path / name / "nets" / file for file in ("first.py", "last.py") for name in ("one", "two")]
    together = {(finding.span.path, finding.rule, finding.message) for finding in check(files, Settings()).findings}
    alone = {(finding.span.path, finding.rule, finding.message)
             for file in files for finding in check([file], Settings()).findings}
    assert together == alone
    assert len(together) == len(files)


SETTING = """
    import os
    import tensorflow as tf
    os.environ["WIDTH"] = "3"
"""
READING = """
    import os
    import tensorflow as tf
    {first}
    tf.zeros((2, int(os.environ.get("WIDTH", "5")))) + tf.zeros((2, 4))
"""


def test_variables_that_an_imported_module_sets_are_set_whoever_imported_it_before(tmp_path: Path) -> None:
    (tmp_path / "setting.py").write_text(textwrap.dedent(SETTING))
    (tmp_path / "between.py").write_text("import setting\nimport tensorflow as tf\n")
    firsts = {"a": "os.environ['DEPTH'] = '7'; import between", "b": "", "c": "import between", "d": "import setting",
              "e": "import setting, between", "f": ""}
    for name, first in firsts.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(READING.format(first=first)))
    widths = {name: 3 if first else 5 for name, first in firsts.items()}
    for order in ("abcdef", "fedcba", "cbadfe"):
        files = [str(tmp_path / f"{name}.py") for name in order]
        found = {Path(each.span.path).stem: each.message for each in check(files, Settings()).findings}
        assert {name: f"(2, {width})" in found[name] for name, width in widths.items()} == dict.fromkeys(widths, True)


def test_modules_of_a_project_that_is_left_take_no_memory(tmp_path: Path) -> None:
    registry.load()
    (tmp_path / "blocks.py").write_text(textwrap.dedent(BLOCKS))
    (tmp_path / "one.py").write_text(WIDTHS.format(filters=4, channels=4))
    shared = Shared()
    _applied(tmp_path / "one.py", shared)
    held = [weakref.ref(module.scope.items["Block"].node) for module in shared.modules.values()]
    shared.leave(str(tmp_path / "elsewhere"))
    assert [ref() is None for ref in held] == [False]
    gc.disable()  # at once, whether or not anyone looks for circles
    try:
        shared.leave(str(tmp_path))
        assert [ref() is None for ref in held] == [True]
    finally:
        gc.enable()


def test_what_a_file_makes_goes_when_it_has_ended(tmp_path: Path) -> None:
    """An input layer, a model that is called, a model that is cloned, and what an inner function holds."""
    registry.load()
    (tmp_path / "one.py").write_text(textwrap.dedent("""
        import keras

        def built():
            inputs = keras.Input((8,))
            dense = keras.layers.Dense(4)

            def applied(x):
                return applied if x is None else dense(x)

            return keras.Model(inputs, applied(inputs))

        inner = built()
        outputs = inner(x := keras.Input((8,)))
        keras.models.clone_model(keras.Model(x, outputs))(keras.Input((8,)))
    """))
    held: list[weakref.ref[object]] = []

    def emit(event: Event) -> None:
        if isinstance(event, LayerApplied):
            held.append(weakref.ref(event.maker))

    gc.disable()
    try:
        analyse(Source.read(str(tmp_path / "one.py")), stack=Stack(), emit=emit, shared=Shared())
        assert held
        assert [ref() for ref in held if ref() is not None] == []
    finally:
        gc.enable()


def test_a_module_that_imports_itself_by_another_name_is_followed_as_the_file_that_it_is(tmp_path: Path) -> None:
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "tools.py").write_text(textwrap.dedent("""
        import tools
        import keras

        def shrunk():
            return keras.layers.Conv2D(8, 5)(keras.Input((3, 3, 3)))

        class Maker:
            def made(self):
                return keras.layers.Conv2D(8, 7)(keras.Input((3, 3, 3)))
    """))
    (tmp_path / "main.py").write_text("import keras\nfrom helpers.tools import shrunk\n")
    paths = [str(tmp_path / "main.py"), str(tmp_path / "helpers" / "tools.py")]
    alone, together = check(paths[1:], Settings()), check(paths, Settings())
    assert [finding.rule for finding in alone.findings] == ["empty-feature-map"] * 2
    assert together.findings == alone.findings


CONFIG = """
    class Config:
        def __init__(self):
            self.size = 3


    def logged(init):
        def inner(self, *args):
            init(self, *args)
        return inner


    class Sized:
        @logged
        def __init__(self, size):
            self.size = size


    config = Config()
"""
CONFIGURED = """
    import keras
    from config import Sized, config

    x = keras.layers.Conv2D(8, 5)(keras.Input((config.size, config.size, 3)))
    y = keras.layers.Conv2D(8, 5)(keras.Input((Sized(3).size, 3, 3)))
"""


def test_what_an_import_made_is_there_for_the_next_file(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(textwrap.dedent(CONFIG))
    files = [tmp_path / name for name in ("one.py", "other.py", "third.py")]
    for file in files:
        file.write_text(textwrap.dedent(CONFIGURED))
    found = check(files, Settings()).findings
    assert [(Path(finding.span.path).name, finding.span.line) for finding in found] == [
        (file.name, line) for file in files for line in (5, 6)]


@pytest.mark.parametrize("first", ["import policy, parts", "import policy, same"])
def test_what_a_module_sets_is_set_whichever_file_imported_it_first(tmp_path: Path, first: str) -> None:
    """Though what it imports was imported before it, or it sets what was set already."""
    (tmp_path / "policy.py").write_text("import keras\nkeras.config.set_image_data_format('channels_first')\n")
    (tmp_path / "same.py").write_text("import keras\nkeras.config.set_image_data_format('channels_first')\n")
    (tmp_path / "parts.py").write_text("import keras\nimport policy\n")
    (tmp_path / "a.py").write_text(f"import keras\n{first}\n")
    (tmp_path / "b.py").write_text(f"import keras\nimport {first.rpartition(' ')[2]}\n"
                                   "keras.layers.Conv2D(4, 7)(keras.Input((8, 8, 3)))\n")
    registry.load()
    found = check([tmp_path / "a.py", tmp_path / "b.py"], Settings())
    assert [one.message for one in found.findings] == [
        'width 3 -> -3 with kernel_size 7, padding "valid"']
