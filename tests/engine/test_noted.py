"""Versions in comments: a verdict never hangs on one that is misread."""

from __future__ import annotations

import pytest

from cudnnlint.engine.stack.noted import noted

ASKING = {
    "# pip install tensorflow==1.15": "tensorflow==1.15",
    "# Requires keras < 3": "keras<3",
    "# tensorflow==1.12.0": "tensorflow==1.12.0",
    "# The code was tested with TensorFlow 1.9.": "tensorflow==1.9.*",
    '"""Tested on Python 3.6, TensorFlow 1.12"""': "tensorflow==1.12.*",
}
LABELS = (
    "except ImportError:  # tensorflow<2.0",
    "    # keras < 2.13",
    "    pass  # keras<3: nothing of the kind yet",
    "# torch<1.10 knows no indexing",
    "# tensorflow<2 compatibility",
)
OTHERS = (
    "# Not tested with TensorFlow 2.0",
    "# has never been tested with TensorFlow 2.1",
    "# TODO to be tested with TensorFlow 2.2",
    "# I tested with TensorFlow 2.0 and it fails",
    "# Tested with TensorFlow 1.13 and 2.0",
    "# tested on tensorflow 1.14, 1.15 and 2.0",
    "# tested with TensorFlow 2.3 to 2.10",
    "# Tested with TensorFlow 1.4 or later",
    "# for tensorflow==1.15 take the first, for tensorflow==2.3 the second",
    "# needed for torch==1.7.1",
    "# pip install 'tensorflow<2.11' on Windows",
    "# !pip uninstall tensorflow==2.3",
)


def pins_of(line: str) -> list[str]:
    return [pin.text for pin in noted(f"import tensorflow\n{line}\nimport keras\n".encode())]


@pytest.mark.parametrize("line", ASKING)
def test_a_comment_that_asks_for_a_version_is_heard(line: str) -> None:
    assert pins_of(line) == [ASKING[line]]


@pytest.mark.parametrize("line", LABELS)
def test_what_labels_code_for_older_versions_asks_for_none(line: str) -> None:
    assert pins_of(line) == []


@pytest.mark.parametrize("line", OTHERS)
def test_what_says_something_else_or_names_several_asks_for_none(line: str) -> None:
    assert pins_of(line) == []


def test_two_requirements_that_differ_are_those_of_two_cases() -> None:
    assert pins_of("# tensorflow==1.15\n# tensorflow==2.3") == []
    assert pins_of("# tensorflow==2.3\n# keras==2.3\n# tensorflow==2.3") == ["tensorflow==2.3", "keras==2.3",
                                                                             "tensorflow==2.3"]
