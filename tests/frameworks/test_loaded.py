"""Models that are loaded again: what Keras finds by itself."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings


@pytest.mark.parametrize(("folder", "package", "rules"), [
    ("keras", False, ["unregistered-object"]), ("keras", True, []), ("keras_cv/zoo", True, []),
    ("mine/keras", True, ["unregistered-object"])])
def test_what_keras_imports_by_itself_is_its_package_not_a_folder_of_that_name(
        tmp_path: Path, folder: str, package: bool, rules: list[str]) -> None:
    home = tmp_path / folder
    home.mkdir(parents=True)
    for directory in [home, *home.parents] if package else []:
        if directory.is_relative_to(tmp_path) and directory != tmp_path:
            (directory / "__init__.py").write_text("")
    file = home / "train.py"
    file.write_text(textwrap.dedent("""
        import keras

        class Double(keras.layers.Layer):
            def call(self, x):
                return 2 * x

        keras.Sequential([keras.Input((4,)), Double()]).save("net.keras")
        keras.models.load_model("net.keras")
    """))
    assert [finding.rule for finding in check([file], Settings()).findings] == rules
