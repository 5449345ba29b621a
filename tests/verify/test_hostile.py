"""Projects that try to have their code run: by their names, settings, texts and modules."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cudnnlint.cli.main import program
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Claim, Verification
from cudnnlint.source import Source
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.plan import plan
from cudnnlint.verify.trace import Trace

ROOT = Path(__file__).parents[2]
MODULES = ("sitecustomize", "conftest", "keras", "tensorflow", "torch", "click", "rich", "json", "packaging",
           "pathspec", "platformdirs", "tomllib", "tomli", "numpy", "worker_values", "worker_jobs", "serve", "difflib",
           "tempfile")
HERE = Interpreter("/usr/bin/python3", (), frozenset({"keras", "tensorflow"}))
EVIL = "\"\"\"'''\\\n$(touch {0}) `touch {0}`; import os; os.system('touch {0}') #"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory whose modules leave a mark, with a mistake in model.py."""
    where = tmp_path / "project"
    where.mkdir()
    for name in MODULES:
        (where / f"{name}.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write(__name__)\n")
    (where / "model.py").write_text("import keras\nkeras.layers.Dense(-1)\n")
    monkeypatch.chdir(where)
    return where


def test_modules_of_the_working_directory_do_not_stand_for_ours(tmp_path: Path, project: Path) -> None:
    (project / "evil").write_text(f"#!/bin/sh\ntouch {tmp_path / 'mark'}\n")
    (project / "evil").chmod(0o755)
    bare = tmp_path / "bare"
    (bare / "bin").mkdir(parents=True)
    (bare / "bin" / "python").write_text("#!/bin/sh\nexit 3\n")
    (bare / "bin" / "python").chmod(0o755)
    done = subprocess.run([sys.executable, "-m", "cudnnlint", "check", "model.py", "--isolated", "--verify", "auto",
                           "--verify-python", str(bare)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 1 and "model.py:2:" in done.stdout, done
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("key", ["verify", "verify-gpu", "verify-python", "verify_python", "trace-dir", "cudnn-lib"])
def test_settings_of_a_project_cannot_start_a_verification(tmp_path: Path, project: Path, key: str) -> None:
    evil = project / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path / 'mark'}\n")
    evil.chmod(0o755)
    (project / "pyproject.toml").write_text(f'[tool.cudnnlint]\n{key} = "./evil"\n')
    done = CliRunner().invoke(program, ["check", "model.py"])
    assert done.exit_code == 2 and key in done.output, done.output
    assert not (tmp_path / "mark").exists()


def test_texts_of_a_program_stay_texts_in_what_is_kept(tmp_path: Path) -> None:
    """In names of files and in arguments: the script holds them as constants and calls nothing else."""
    evil = EVIL.format(tmp_path / "mark")
    code = f"import keras\nkeras.layers.Conv2D(4, 9, padding={evil!r})\n"
    (finding,) = check_source(Source.from_text(f"{evil}.py", code), Settings())
    made = plan(finding.claim, HERE)
    assert made.job["arguments"]["padding"] == evil
    trace = Trace(str(tmp_path / "kept"), "tensorflow", "cpu")
    trace.keep(1, finding, made, Verification("confirmed"))
    (script,) = (tmp_path / "kept").glob("001-*.py")
    tree = ast.parse(script.read_text())
    called = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert sorted(called) == sorted(["json.loads", "sys.path.insert", "os.path.join", "os.path.dirname",
                                     "os.path.abspath", "print", "serve.by_hand"])
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    (job,) = [json.loads(text) for text in texts if text.startswith("{")]
    assert job["arguments"]["padding"] == evil
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("facts", [
    {"function": "tensorflow.io.write_file", "args": [], "kwargs": {}},
    {"graph": {"layers": [], "nodes": [{"function": "os.system", "args": ["touch x"], "kwargs": {}}]}},
    {"graph": {"layers": [{"layer": "keras.layers.Lambda", "arguments": {}}], "nodes": []}},
    {"optimizer": {"name": "Optimizer.__init__", "arguments": {}}},
    {"name": "tensorflow.io.gfile.remove", "argument": "path"},
    {"name": "keras.Model.save", "argument": "x"}])
def test_a_worker_takes_nothing_but_layers_and_functions_on_tensors(tmp_path: Path, facts: dict[str, object]) -> None:
    """The worker that is kept beside a job, with libraries that say what is asked of them."""
    for name in ("keras", "tensorflow"):
        (tmp_path / f"{name}.py").write_text(LIBRARY)
    (tmp_path / "numpy.py").write_text("class random:\n    seed = staticmethod(lambda n: None)\n")
    kind = "argument" if "argument" in facts else "function" if "function" in facts else "fit"
    job = {"id": 1, "kind": kind, "api": "keras", "method": "fit", "inputs": [], "x": [], "y": [], "arguments": {},
           "losses": None, "model": [], **facts}
    script = (f"import sys\nsys.path[:0] = [{str(ROOT / 'cudnnlint' / 'verify' / 'worker')!r}, {str(tmp_path)!r}]\n"
              f"import serve\nserve.by_hand({job!r}, 'tensorflow', 'cpu')\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True,
                          cwd=tmp_path)
    assert json.loads(done.stdout)["outcome"] == "refused", done


LIBRARY = """\
__version__ = "3.15.1"
class Any:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Any()
    def __call__(self, *args, **kwargs):
        return Any()
    def __iter__(self):
        return iter(())
backend = config = mixed_precision = Any()
layers = optimizers = losses = Any()
Model = Any()
"""


def test_a_claim_that_holds_no_data_is_no_job() -> None:
    assert plan(Claim("layer", (("layer", "keras.layers.Dense"), ("arguments", {"units": object()}))), HERE).reason
