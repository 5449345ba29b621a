"""Which versions the verdicts are about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cudnnlint.engine.requirements import dependencies
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.stack import eras, started
from cudnnlint.engine.stack.deciding import infer_stack
from cudnnlint.values import Stack

KERAS = b"from keras import layers\n"
TF_KERAS = b"import tensorflow as tf\nx = tf.keras.layers.Dense(1)\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> Path:
    """A repository, so that nothing above it is looked at."""
    (tmp_path / ".git").mkdir()
    dependencies._pins_in.cache_clear()
    dependencies._project.cache_clear()
    return tmp_path


def stack(project: Path, data: bytes = TF_KERAS, /, *, file: str = "", text: str = "", **settings: str) -> Stack:
    if file:
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).write_text(text)
    return infer_stack(Settings(**settings), project, data)  # type: ignore[arg-type]


def test_nothing_known_is_the_newest_and_says_so(project: Path) -> None:
    assert stack(project) == Stack()
    assert stack(project).source.startswith("assumed")


@pytest.mark.parametrize(("settings", "keras", "tensorflow", "cudnn"), [
    ({"keras": "3"}, (3, 15), (2, 21), (9, 3)),
    ({"keras": "3.3"}, (3, 3), (2, 21), (9, 3)),
    ({"keras": "2"}, (2, 15), (2, 15), (8, 9)),
    ({"keras": "2.10"}, (2, 10), (2, 10), (8, 1)),
    ({"keras": "2.3.1"}, (2, 3, 1), (2, 0), (7, 4)),
    ({"tensorflow": "2.16"}, (3, 15), (2, 16), (8, 9)),
    ({"tensorflow": "2.10.1"}, (2, 10), (2, 10, 1), (8, 1)),
    ({"tensorflow": "2"}, (3, 15), (2, 21), (9, 3)),
    ({"tensorflow": "1"}, (2, 0), (1, 15), (7, 4)),
    ({"tensorflow": "1.0.1"}, (2, 0), (1, 0, 1), (5, 1)),
    ({"keras": "2", "tensorflow": "2.10"}, (2, 10), (2, 10), (8, 1)),
    ({"keras": "2", "tensorflow": "2.18"}, (2, 18), (2, 18), (9, 3)),
    ({"tensorflow": "2.18", "cudnn": "9.1"}, (3, 15), (2, 18), (9, 1)),
    ({"cudnn": "8"}, (3, 15), (2, 21), (8, 9)),
])
def test_settings_come_first(project: Path, settings: dict[str, str], keras: tuple[int, ...],
                             tensorflow: tuple[int, ...], cudnn: tuple[int, ...]) -> None:
    found = stack(project, file="requirements.txt", text="tensorflow==2.4.1\n" if "tensorflow" in settings else "",
                  **settings)
    assert (found.keras, found.tensorflow, found.cudnn) == (keras, tensorflow, cudnn)
    assert "settings" in found.source


PINNED = {
    "requirements.txt": "numpy\nTensorFlow == 2.10.1 ; python_version > '3' # pinned\n",
    "requirements-gpu.txt": "tensorflow_gpu==2.10.1 \\\n    --hash=sha256:00\n",
    "requirements/base.txt": "tensorflow[and-cuda]==2.10.1\n",
    "pyproject.toml": "[project]\ndependencies = ['tensorflow==2.10.1']\n",
    "poetry.lock": '[[package]]\nname = "tensorflow"\nversion = "2.10.1"\ndescription = ""\n',
    "uv.lock": '[[package]]\nname = "tensorflow-cpu"\nversion = "2.10.1"\nsource = { }\n',
    "Pipfile.lock": json.dumps({"_meta": {}, "default": {"tensorflow": {"version": "==2.10.1", "hashes": []}}}),
    "Pipfile": "[packages]\ntensorflow = '==2.10.1'\n",
    "environment.yml": "name: x\ndependencies:\n  - python=3.9\n  - conda-forge::tensorflow==2.10.1\n",
    "environment.yaml": "dependencies:\n  - pip:\n    - tensorflow==2.10.1\n",
    "setup.cfg": "[options]\ninstall_requires =\n    numpy\n    tensorflow==2.10.1\n",
    "setup.py": "setup(install_requires=['numpy', \"tensorflow==2.10.1\"])\n",
}


def test_poetry_once_sorted_the_lines_of_a_package(project: Path) -> None:
    text = ('[[package]]\ncategory = "main"\ndescription = "."\nname = "numpy"\noptional = false\n'
            'python-versions = "*"\nversion = "1.19.5"\n\n[[package]]\ncategory = "main"\nname = "tensorflow"\n'
            'optional = false\npython-versions = "*"\nversion = "2.4.1"\n\n[package.dependencies]\nsix = "*"\n')
    found = stack(project, file="poetry.lock", text=text)
    assert (found.keras, found.tensorflow) == ((2, 4), (2, 4, 1))


@pytest.mark.parametrize("file", PINNED)
def test_a_pin_is_read_from(project: Path, file: str) -> None:
    found = stack(project, file=file, text=PINNED[file])
    assert (found.keras, found.tensorflow, found.cudnn) == ((2, 10), (2, 10, 1), (8, 1))
    assert Path(file).name in found.source
    assert "assumed" not in found.source


@pytest.mark.parametrize(("file", "text", "tensorflow"), [
    ("pyproject.toml", "[tool.poetry.dependencies]\ntensorflow = '~2.10'\n", (2, 10)),
    ("pyproject.toml", "[tool.poetry.dependencies]\ntensorflow = {version = '2.10.*', extras = []}\n", (2, 10)),
    ("pyproject.toml", "[project]\nname='x'\n[project.optional-dependencies]\ngpu = ['tensorflow==2.10.*']\n", (2, 10)),
    ("pyproject.toml", "[dependency-groups]\ndev = [{include-group='x'}, 'tensorflow~=2.10.0']\n", (2, 10)),
    ("environment.yml", "dependencies:\n- tensorflow-gpu=2.10.0=gpu_py39\n", (2, 10)),
    ("environment.yml", "dependencies:\n- tensorflow 2.10\n", (2, 10)),
    ("requirements.txt", "tensorflow>=2.10,<2.11\n", (2, 10)),
    ("requirements.txt", "tensorflow==1.15.5\n", (1, 15, 5)),
    ("requirements.txt", "tensorflow==2.99\n", (2, 99)),
    ("Dockerfile", "FROM tensorflow/tensorflow:2.9.3-gpu\nRUN pip install numpy\n", (2, 9, 3)),
    ("Dockerfile", "from docker.io/tensorflow/tensorflow:1.15.5-py3 as base\n", (1, 15, 5)),
    ("Dockerfile", "FROM ubuntu:20.04\nRUN apt update && pip3 install \\\n  tensorflow-gpu==2.4.1\n", (2, 4, 1)),
    ("Dockerfile.cpu", "FROM tensorflow/tensorflow:2.0.1-py3\n", (2, 0, 1)),
    ("REQUIREMENTS.txt", "tensorflow==1.15.5\n", (1, 15, 5)),
    ("Requirements-gpu.txt", "tensorflow==1.15.5\n", (1, 15, 5)),
])
def test_what_leaves_one_release_fixes_it(project: Path, file: str, text: str, tensorflow: tuple[int, ...]) -> None:
    found = stack(project, file=file, text=text)
    assert found.tensorflow == tensorflow
    assert not found.source.split(";")[0].count("assumed")


@pytest.mark.parametrize("text", ["FROM tensorflow/tensorflow:latest-gpu\n", "FROM tensorflow/serving:2.9.3\n",
                                  "# FROM tensorflow/tensorflow:2.9.3\n",
                                  "FROM nvcr.io/nvidia/tensorflow:20.12-tf2-py3\n",
                                  "FROM ubuntu:20.04\nRUN pip install tensorflow\n"])
def test_images_that_tell_no_version(project: Path, text: str) -> None:
    assert stack(project, file="Dockerfile", text=text) == Stack()


@pytest.mark.parametrize(("text", "keras", "tensorflow"), [
    ("tensorflow>=2.4\n", (3, 15), (2, 21)),
    ("tensorflow>=2.4,<2.16\n", (2, 15), (2, 15)),
    ("tensorflow<2\n", (2, 0), (1, 15)),
    ("tensorflow~=2.10\n", (3, 15), (2, 21)),
    ("keras<3\ntensorflow>=2.4\n", (2, 15), (2, 15)),
])
def test_a_bound_leaves_the_newest_that_it_allows_and_says_so(project: Path, text: str, keras: tuple[int, ...],
                                                              tensorflow: tuple[int, ...]) -> None:
    found = stack(project, file="requirements.txt", text=text)
    assert (found.keras, found.tensorflow) == (keras, tensorflow)
    assert "assumed: the newest" in found.source
    assert "requirements.txt" in found.source


@pytest.mark.parametrize(("data", "text", "keras", "tensorflow"), [
    (KERAS, "keras==2.3.1\ntensorflow==1.15\n", (2, 3, 1), (1, 15)),
    (TF_KERAS, "keras==2.3.1\ntensorflow==1.15\n", (2, 0), (1, 15)),
    (b"from nets import build\n", "keras==2.3.0\ntensorflow==2.7.2\n", (2, 3, 0), (2, 7, 2)),
    (TF_KERAS, "keras==2.3.0\ntensorflow==2.7.2\n", (2, 7), (2, 7, 2)),
    (KERAS, "tensorflow==2.10.0\n", (2, 10), (2, 10, 0)),
    (KERAS, "keras==2.10.0\n", (2, 10, 0), (2, 10)),
    (KERAS, "keras==3.3.3\n", (3, 3, 3), (2, 21)),
    (TF_KERAS, "keras==3.3.3\ntensorflow==2.16.2\n", (3, 3, 3), (2, 16, 2)),
    (KERAS, "keras>=2.4\ntensorflow==2.12.0\n", (2, 12), (2, 12, 0)),
    (KERAS, "tensorflow-probability==0.24\nkeras-tuner==1.4\n", (3, 15), (2, 21)),
    (KERAS, "nvidia-cudnn-cu12==9.1.0.70\ntensorflow==2.18.0\n", (3, 15), (2, 18, 0)),
    (KERAS, "tensorflow==2.4.0; sys_platform == 'darwin'\ntensorflow==2.12.0; sys_platform == 'linux'\n",
     (2, 12), (2, 12, 0)),
])
def test_keras_and_tensorflow_together(project: Path, data: bytes, text: str, keras: tuple[int, ...],
                                       tensorflow: tuple[int, ...]) -> None:
    found = stack(project, data, file="requirements.txt", text=text)
    assert (found.keras, found.tensorflow) == (keras, tensorflow)
    if "cudnn" in text:
        assert found.cudnn == (9, 1, 0)


@pytest.mark.parametrize(("data", "keras", "tensorflow"), [
    (b"import tf_keras as keras\n", (2, 21), (2, 21)),
    (b"import tensorflow as tf, tf_keras\n", (2, 21), (2, 21)),
    (b"import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\nimport tensorflow\n", (2, 21), (2, 21)),
    (b"import os\nos.environ['TF_USE_LEGACY_KERAS'] = '0'\nimport tensorflow\n", (3, 15), (2, 21)),
    (b"import keras\nkeras.ops.relu(x)\n", (3, 15), (2, 21)),
    (b"import tensorflow as tf\ntf.contrib.layers.conv2d(x)\n", (2, 0), (1, 15)),
    (b"import tensorflow as tf\n# tf.contrib.layers is gone\n", (3, 15), (2, 21)),
    (b"import tensorflow as tf\nx = tf.placeholder(tf.float32)\n", (2, 0), (1, 15)),
    (b"import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)\n", (3, 15), (2, 21)),
])
def test_what_the_module_itself_implies(project: Path, data: bytes, keras: tuple[int, ...],
                                        tensorflow: tuple[int, ...]) -> None:
    found = stack(project, data)
    assert (found.keras, found.tensorflow) == (keras, tensorflow)


def test_keras_3_that_is_implied_outweighs_an_old_bound(project: Path) -> None:
    data = b"from keras import (\n    layers,\n    ops,\n)\n"
    assert stack(project, data, file="requirements.txt", text="tensorflow>=2.4,<2.16\n").keras == (3, 15)


def test_tf_keras_follows_the_pinned_tensorflow(project: Path) -> None:
    data = b"import tf_keras\n"
    assert stack(project, data, file="requirements.txt", text="tensorflow==2.17.1\n").keras == (2, 17)
    dependencies._pins_in.cache_clear()
    assert stack(project, data, file="requirements.txt", text="tf-keras==2.16.0\n").keras == (2, 16, 0)


def test_what_lies_in_tensorflow_python_is_keras_2(project: Path) -> None:
    data = b"from tensorflow.python.keras.models import Sequential\nfrom tensorflow.keras.datasets import mnist\n"
    found = stack(project, data)
    assert (found.keras, found.tensorflow) == ((2, 6), (2, 6))
    dependencies._pins_in.cache_clear()
    assert stack(project, data, file="requirements.txt", text="tensorflow==2.4.1\n").keras == (2, 4)
    dependencies._pins_in.cache_clear()
    assert stack(project, data, file="requirements.txt", text="tensorflow==2.18.0\n").keras == (2, 6)
    dependencies._pins_in.cache_clear()
    assert stack(project, data + b"from tensorflow.keras import layers\n").keras == (2, 6)  # no model of Keras 3
    assert stack(project, b"from tensorflow.python.keras import backend\n" + TF_KERAS).keras >= (3,)


def test_a_project_that_requires_tf_keras_and_no_keras_means_it_by_tf_keras(project: Path) -> None:
    required = {"file": "requirements.txt", "text": "tf-keras>=2.17,<3\n"}
    assert stack(project, **required).keras < (3,)
    assert stack(project, KERAS, **required).keras >= (3,)
    assert stack(project, b"from tensorflow import keras\nkeras.ops.abs(1)\n", **required).keras >= (3,)


def test_the_keras_that_only_tensorflow_asks_for_does_not_outweigh_tf_keras(project: Path) -> None:
    asked, handed_on = "# via -r requirements.in", "# via tensorflow-hub"
    compiled = ("keras==3.12.0 \\\n    --hash=sha256:00\n    # via tensorflow\ntensorflow==2.18.1\n"
                "    # via -r requirements.in\ntf-keras==2.18.0 \\\n    --hash=sha256:11\n    {}\n")
    assert stack(project, file="requirements.txt", text=compiled.format(asked)).keras == (2, 18, 0)
    dependencies._pins_in.cache_clear()
    assert stack(project, file="requirements.txt", text=compiled.format(handed_on)).keras == (3, 12, 0)


@pytest.mark.parametrize(("file", "text", "keras"), [
    ("Makefile", "test:\n\tTF_USE_LEGACY_KERAS=1 pytest\n", 2),
    (".github/workflows/ci.yaml", "env:\n  TF_USE_LEGACY_KERAS: 1\n", 2),
    ("scripts/ci.sh", "export TF_USE_LEGACY_KERAS=1\n", 2),
    ("tox.ini", "setenv =\n    TF_USE_LEGACY_KERAS = 1\n", 2),
    ("tox.ini", "# TF_USE_LEGACY_KERAS = 1\n", 3),
    (".github/workflows/ci.yml", "- TF_USE_LEGACY_KERAS: 1\n- TF_USE_LEGACY_KERAS: 0\n", 3),
])
def test_how_a_project_starts_its_tests_tells_which_keras_it_means(project: Path, file: str, text: str,
                                                                   keras: int) -> None:
    started._flagged.cache_clear()
    (project / "requirements.txt").write_text("tensorflow==2.18.0\nkeras==3.8.0\n    # via tensorflow\n")
    (project / "package").mkdir()
    assert stack(project, file=file, text=text).keras[0] == keras
    assert infer_stack(Settings(), project / "package", TF_KERAS).keras[0] == keras
    assert stack(project, KERAS).keras[0] == 3, "`import keras` is Keras 3 whatever the flag is"


def test_the_keras_that_a_module_of_the_project_hands_on_is_the_one_that_it_takes(project: Path) -> None:
    data = b"import tensorflow as tf\nfrom app import tools\nfrom app.compat import keras\n"
    legacy = "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\nfrom tensorflow import keras\n"
    found = stack(project, data, file="app/compat.py", text=legacy)
    assert found.keras < (3,) and "compat.py" in found.source
    assert stack(project, b"from .compat import keras\n").keras >= (3,)  # none lies there


@pytest.mark.parametrize(("file", "text", "keras"), [
    ("app/main.py", "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n", 2),
    ("app/main.py", "import os\nos.environ.setdefault('TF_USE_LEGACY_KERAS', '1')\n", 2),
    ("app/main.py", "import os\nif old:\n    os.environ['TF_USE_LEGACY_KERAS'] = '1'\n", 3),
    ("app/main.py", "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '0'\n", 3),
    ("app/main.py", "# os.environ['TF_USE_LEGACY_KERAS'] = '1'\n", 3),
    ("other/main.py", "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n", 3),
])
def test_what_a_module_of_the_package_sets_is_meant_for_all_of_it(project: Path, file: str, text: str,
                                                                  keras: int) -> None:
    for name in ("app/__init__.py", "app/models/__init__.py", "other/__init__.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("")
    (project / file).write_text(text)
    found = infer_stack(Settings(), project / "app" / "models", TF_KERAS)
    assert found.keras[0] == keras and ("main.py" in found.source) == (keras == 2)


def test_a_keras_for_other_versions_is_not_the_one_that_is_meant(project: Path) -> None:
    data = b"if old:\n    from keras.layers import Dense\nelse:\n    from tensorflow.keras.layers import Dense\n"
    (project / "app").mkdir()
    (project / "app" / "__init__.py").write_text("")
    (project / "app" / "main.py").write_text("import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n")
    assert infer_stack(Settings(), project / "app", data).keras[0] == 2
    assert infer_stack(Settings(), project / "app", b"from keras import layers\n" + data).keras[0] == 3


def test_scripts_beside_each_other_are_programs_of_their_own(project: Path) -> None:
    legacy = "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n"
    assert stack(project, TF_KERAS, file="other.py", text=legacy).keras[0] == 3


def test_other_versions_of_pytorch_do_not_make_another_keras_possible(project: Path) -> None:
    found = stack(project, b"import tf_keras\n")
    assert found.before and all(before.keras == found.keras for before in found.before)


def test_a_notebooks_own_install_outweighs_the_projects_files(project: Path) -> None:
    lines = ["# !pip install tensorflow==1.15\n", "!pip install -q 'tensorflow==2.8.0'\n", "import tensorflow as tf"]
    data = json.dumps({"cells": [{"cell_type": "code", "source": lines}]}).encode()
    found = stack(project, data, file="requirements.txt", text="tensorflow==2.4\n")
    assert (found.keras, found.tensorflow) == ((2, 8), (2, 8, 0))


@pytest.mark.parametrize(("text", "tensorflow"), [
    ("tensorflow_text==2.13.0\n", (2, 13, 0)),
    ("tensorflow-text>=2.8\ntensorflow<2.11\n", (2, 10)),
])
def test_tensorflow_text_is_built_for_the_tensorflow_of_its_number(project: Path, text: str,
                                                                   tensorflow: tuple[int, ...]) -> None:
    assert stack(project, file="requirements.txt", text=text).tensorflow == tensorflow


def test_a_notebook_may_install_tensorflow_with_the_text_operations(project: Path) -> None:
    data = json.dumps({"cells": [{"cell_type": "code", "source": '!pip install -U "tensorflow-text==2.13.*"'}]})
    assert stack(project, data.encode()).tensorflow == (2, 13)


def test_a_cell_that_is_one_text_installs_as_one_of_lines_does(project: Path) -> None:
    """So Kaggle writes notebooks."""
    text = "import sys\n# !pip install keras==2.3\n!{sys.executable} -m pip install tensorflow==2.8.0\nimport keras"
    data = json.dumps({"cells": [{"cell_type": "code", "source": text}]}).encode()
    found = stack(project, data, file="requirements.txt", text="tensorflow==2.4\n")
    assert (found.keras, found.tensorflow) == ((2, 8), (2, 8, 0))


def test_what_a_notebook_printed_tells_nothing(project: Path) -> None:
    warning = "WARNING: tf.placeholder is deprecated. Please use tf.compat.v1.placeholder instead."
    cells = [{"cell_type": "code", "source": ["import tensorflow as tf\n", "x = tf.placeholder(tf.float32)\n"],
              "outputs": [{"output_type": "stream", "text": [warning]}]}]
    assert stack(project, json.dumps({"cells": cells}).encode()).tensorflow == (1, 15)
    cells[0]["source"] = "import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)\n"
    assert stack(project, json.dumps({"cells": cells}).encode()).tensorflow != (1, 15)


def test_what_is_half_ported_is_of_the_version_of_the_files_beside_it(project: Path) -> None:
    half = b"import tensorflow as tf\nwith tf.Session() as s:\n    tf.compat.v1.add_to_collection('x', 1)\n"
    (project / "train.py").write_text("import tensorflow as tf\nx = tf.placeholder(tf.float32)\n")
    assert infer_stack(Settings(), project, half).tensorflow == (1, 15)
    both = b"import tensorflow.compat.v1 as tf\nwith tf.Session() as s:\n    pass\n"
    assert infer_stack(Settings(), project, both).tensorflow != (1, 15)


def test_the_nearest_directory_that_says_anything_counts(project: Path) -> None:
    (project / "requirements.txt").write_text("tensorflow==2.4.0\n")
    (project / "a/b").mkdir(parents=True)
    (project / "a/requirements.txt").write_text("tensorflow==2.8.0\n")
    (project / "a/b/requirements.txt").write_text("numpy\n")
    assert infer_stack(Settings(), project / "a/b", TF_KERAS).tensorflow == (2, 8, 0)
    assert infer_stack(Settings(), project, TF_KERAS).tensorflow == (2, 4, 0)


def test_nothing_above_the_repository_is_read(project: Path) -> None:
    (project / "requirements.txt").write_text("tensorflow==2.4.0\n")
    (project / "inner/.git").mkdir(parents=True)
    assert infer_stack(Settings(), project / "inner", TF_KERAS) == Stack()


@pytest.mark.parametrize(("file", "text"), [
    ("requirements.txt", "tensorflow===\ntensorflow=>2\n-r x.txt\nhttps://x/tensorflow-2.4.whl\ntensorflow @ file:x\n"),
    ("pyproject.toml", "[project\n"), ("pyproject.toml", "project = 3\n"), ("Pipfile.lock", "[1]"),
    ("Pipfile.lock", '{"default": {"tensorflow": 3}}'), ("setup.cfg", "x = y\n"), ("environment.yml", "- : {{\n\t-"),
    ("poetry.lock", "\x00\x01"), ("Pipfile", "[packages]\ntensorflow = 3\n"),
    ("requirements.txt", f"tensorflow=={'9' * 5000}\n"),
    ("pyproject.toml", "[project]\ndependencies = [1, {tensorflow = 2}]\n"),
])
def test_malformed_files_say_nothing(project: Path, file: str, text: str) -> None:
    assert stack(project, file=file, text=text) == Stack()


def test_requirements_in_utf_16_are_read(project: Path) -> None:
    (project / "requirements.txt").write_bytes("tensorflow==2.8.0\r\n".encode("utf-16"))
    assert stack(project).tensorflow == (2, 8, 0)


def test_enormous_files_say_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "LARGEST", 10)
    assert stack(project, file="requirements.txt", text="tensorflow==2.8.0\n") == Stack()


@pytest.mark.parametrize(("line", "tensorflow"), [
    (b"from tensorflow.keras.utils import multi_gpu_model", (2, 3)),
    (b"model = keras.utils.multi_gpu_model(base, 2)", (2, 3)),
    (b"from tensorflow.compat.v1.keras.layers import CuDNNLSTM", (2, 15)),
    (b"from keras.layers import (Dense,\n    CuDNNGRU)", (1, 15)),
    (b"cell = tf.compat.v1.keras.layers.CuDNNGRU if on_gpu else tf.keras.layers.GRU", (2, 15)),
    (b"# import tensorflow.compat.v1 as tf\ns = tf.Session()", (1, 15)),
    (b"import tensorflow_addons as tfa", (2, 15)),
    (b"tf.logging.set_verbosity(tf.logging.ERROR)", (1, 15)), (b"w = tf.get_variable('w', [3])", (1, 15)),
])
def test_what_only_old_versions_have_tells_the_version(project: Path, line: bytes, tensorflow: tuple[int, int]) -> None:
    found = infer_stack(Settings(), project, b"import tensorflow as tf\n" + line + b"\n")
    assert found.tensorflow == tensorflow
    assert found.keras < (3,)
    (project / "pinned").mkdir()
    (project / "pinned/requirements.txt").write_text("tensorflow==2.8.0\n")
    assert infer_stack(Settings(), project / "pinned", line).tensorflow == (2, 8, 0)


def test_a_package_that_refuses_keras_3_tells_of_keras_2(project: Path) -> None:
    found = infer_stack(Settings(), project, b"import tensorflow as tf\nimport tensorflow_recommenders as tfrs\n")
    assert found.keras < (3,)
    assert "tensorflow_recommenders is imported" in found.source


def test_graphs_beside_what_is_new_tell_nothing(project: Path) -> None:
    assert infer_stack(Settings(), project, b"@tf.function\ndef f(): ...\nw = tf.get_variable('w', [3])\n") == Stack()


@pytest.mark.parametrize("line", [b"# keras.utils.multi_gpu_model(base)", b"def multi_gpu_model(model): ...",
                                  b"# uses CuDNNLSTM", b"layers.LSTM(4)",
                                  b'"""As keras.layers.CuDNNLSTM did."""',
                                  b'"source": ["`keras.layers.CuDNNLSTM` is gone"]',
                                  b"try:\n    import tensorflow_addons\nexcept ImportError: ..."])
def test_what_is_only_mentioned_tells_nothing(project: Path, line: bytes) -> None:
    assert infer_stack(Settings(), project, b"import tensorflow as tf\n" + line + b"\n") == Stack()


@pytest.mark.parametrize(("text", "expected"), [
    ("tensorflow-cpu==2.15.0\n", "tensorflow-cpu==2.15.0"), ("tensorflow_cpu\n", "tensorflow_cpu"),
    ("tensorflow==2.15.0\n", ""), ("tensorflow-cpu\ntensorflow\n", ""), ("tensorflow-cpu-aws\n", ""), ("keras\n", "")])
def test_a_build_for_cpus_only_is_known_if_no_other_one_is_asked_for(project: Path, text: str, expected: str) -> None:
    assert stack(project, file="requirements.txt", text=text).without_gpu == expected


def test_a_build_with_cuda_in_another_file_leaves_it_open(project: Path) -> None:
    stack(project, file="requirements-gpu.txt", text="tensorflow[and-cuda]\n")
    assert stack(project, file="requirements.txt", text="tensorflow-cpu\n").without_gpu == ""


CONV_1 = b"model.add(Convolution2D(\n    8, 3, 3,\n    border_mode='same'))\n"
KERAS_1 = b"from keras.layers import Convolution2D\n" + 2 * CONV_1 + b"model.fit(x, y, batch_size=(8), nb_epoch=3)\n"


@pytest.mark.parametrize(("data", "keras", "implied"), [
    (KERAS_1, (2, 3), True), (KERAS_1.replace(CONV_1, b"", 1), (3, 15), False),
    (KERAS_1 + b"x = Dense(3, kernel_initializer='normal')(x)", (3, 15), False),
    (b"import keras\nnb_epoch = 3\nmodel.fit(x, y, epochs=nb_epoch)\n", (3, 15), False),
    (b"import keras\ndef block(x, border_mode='same'): return Conv2D(8, 3, padding=border_mode)(x)\n", (3, 15), False),
    (b"from tensorflow.keras.layers import Dense\nDense(3, init='normal')\n", (3, 15), False),
    (b"import tensorflow as tf\nx = tf.placeholder(tf.float32)\n", (2, 0), True),
    (b'"""As tf.contrib.layers does."""\nimport tensorflow as tf\n', (3, 15), False),
    (b"%tensorflow_version 1.x\nimport tensorflow as tf\nx = tf.placeholder(tf.float32)\n", (2, 0), False),
])
def test_spellings_of_old_versions_imply_them(project: Path, data: bytes, keras: tuple[int, ...],
                                              implied: bool) -> None:
    found = stack(project, data)
    assert (found.keras, found.implied) == (keras, implied)


@pytest.mark.parametrize(("text", "implied"), [
    ("tensorflow>=1.4\n", True), ("tensorflow<2\n", False), ("tensorflow==1.15\n", False), ("keras<=2.2.5\n", False),
    ("keras\n", True), ("numpy==1.16\n", True),
])
def test_a_requirement_of_an_old_version_asks_for_it(project: Path, text: str, implied: bool) -> None:
    data = b"import keras\nimport tensorflow as tf\ns = tf.Session()\n"
    assert stack(project, data, file="requirements.txt", text=text).implied is implied


LAYERS = b"import tensorflow as tf\nx = tf.log(tf.ones([2]))\n"


@pytest.mark.parametrize(("files", "tensorflow"), [
    ({"data.py": "import tensorflow as tf\ntf.contrib.layers.flatten(1)\n"}, (1, 15)),
    ({"nets/data.py": "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"}, (1, 15)),
    ({"data.py": "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n",
      "other.py": "import tensorflow as tf\n@tf.function\ndef f(): pass\n"}, (2, 21)),
    ({"data.py": "# tf.contrib.layers was here\n"}, (2, 21)),
    ({"requirements.txt": "tensorflow>=2.4\n",
      "data.py": "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"}, (2, 21)),
    ({"requirements.txt": "tensorflow>=1.4\n",
      "data.py": "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"}, (1, 15)),
])
def test_the_files_around_a_module_tell_what_it_does_not(project: Path, files: dict[str, str],
                                                         tensorflow: tuple[int, int]) -> None:
    eras._signs.cache_clear()
    eras._sign.cache_clear()
    for name, text in files.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    found = stack(project, LAYERS)
    assert found.tensorflow == tensorflow
    assert ("in data.py" in found.source) is (tensorflow == (1, 15))
    assert found.implied is (tensorflow == (1, 15))


def test_what_is_of_tensorflow_2_itself_does_not_ask_the_files_around_it(project: Path) -> None:
    eras._signs.cache_clear()
    (project / "old.py").write_text("import tensorflow as tf\nx = tf.placeholder(tf.float32)\n")
    assert stack(project, b"import tensorflow as tf\n@tf.function\ndef f(): pass\n").tensorflow == (2, 21)


@pytest.mark.parametrize(("note", "tensorflow"), [
    ("# tensorflow==2.12", (2, 12)),
    ("# Requires: python 3.7, tensorflow-gpu == 2.3.0 and numpy", (2, 3, 0)),
    ("# pip install keras==2.3.1 tensorflow==2.1", (2, 1)),
    ('"""Train.\n\nTested with Python 3.6, TensorFlow 1.14 and Keras 2.2.4\n"""', (1, 14)),
    ('# /// script\n# dependencies = [\n#   "tensorflow>=2.10,<2.16",\n# ]\n# ///', (2, 15)),
])
def test_what_a_comment_asks_for_counts(project: Path, note: str, tensorflow: tuple[int, ...]) -> None:
    found = stack(project, f"{note}\n".encode() + TF_KERAS)
    assert found.tensorflow == tensorflow
    assert "a comment" in found.source or "script metadata" in found.source


def test_a_file_of_requirements_outweighs_a_comment(project: Path) -> None:
    data = b"# tensorflow==2.12\n" + TF_KERAS
    assert stack(project, data, file="requirements.txt", text="tensorflow==2.17.0\n").tensorflow == (2, 17, 0)


@pytest.mark.parametrize("note", [
    "# fails with tensorflow==2.12", "# tensorflow==2.12 does not work here", "# tested on TF 2.4+",
    "# in tensorflow==2.3 this was another function", 'ASKED = f"tensorflow=={version}"',
    "# tensorflow==1.15\n@tf.function\ndef step(): pass",
])
def test_what_a_comment_says_otherwise_does_not(project: Path, note: str) -> None:
    assert stack(project, f"{note}\n".encode() + TF_KERAS) == Stack()


@pytest.mark.parametrize(("requirement", "tensorflow"), [
    ("tensorflow>=2.10,<2.16", (2, 15)), ("tensorflow~=2.4", (2, 21)), ("tensorflow<2.16", (1, 15)),
    ("tensorflow>=2.0", (1, 15)),
])
def test_sessions_are_of_tensorflow_1_unless_the_releases_of_2_are_named(
        project: Path, requirement: str, tensorflow: tuple[int, ...]) -> None:
    data = b"import tensorflow as tf\nsession = tf.Session()\n"
    assert stack(project, data, file="requirements.txt", text=requirement).tensorflow == tensorflow


@pytest.mark.parametrize(("text", "found"), [
    ("keras>=3\ntorch\n", []),  # run with Keras 3.15 on PyTorch: float32
    ("keras>=3\ntorch\ntensorflow\n", ["dtype-mismatch"]),
    ("keras>=3\n", ["dtype-mismatch"]),
])
def test_where_no_tensorflow_is_required_keras_runs_on_pytorch(project: Path, text: str, found: list[str]) -> None:
    (project / "requirements.txt").write_text(text)
    (project / "steps.py").write_text("from keras import ops\n\nx = ops.arange(5) * 0.5\n")
    assert [finding.rule for finding in check([str(project / "steps.py")], Settings()).findings] == found
