"""The parameters of PyTorch's functions: what it needs of them, and which names it takes."""

from __future__ import annotations

import ast
import inspect
from itertools import combinations, product
from typing import Any

import pytest

from cudnnlint.devtools import signatures
from cudnnlint.engine import registry
from cudnnlint.facts.signatures import FILE, keywords
from cudnnlint.facts.torch_arguments import SCHEDULERS
from cudnnlint.interp.torch.forwards import FORWARDS, ONE
from cudnnlint.interp.torch.numpy_names import COMPILED, FUNCTIONAL, PYTHON, is_python
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS
from tests.oracle.function_harness import load

torch = pytest.importorskip("torch", reason="torch is not installed")
load()
registry.load()
MODULES = sorted(path for path in LAYERS if path.startswith("torch.nn.") and path.count(".") == 2)
PATHS = sorted(path for path in FUNCTIONS if path.startswith("torch."))
OPERATORS = {"logsigmoid": "log_sigmoid"}
"""Functions whose operators have other names."""
UNLIKE = {"torch.Tensor.__matmul__", "torch.einsum", "torch.meshgrid", "torch.unique", "torch.Tensor.split"}
"""Of any number of arguments, an operator, or with other names as a function and as a method."""


def real(path: str) -> Any:
    held: Any = torch
    for part in path.split(".")[1:]:
        held = getattr(held, part, None)
    return held


def required(signature: inspect.Signature) -> list[str]:
    return [name for name, parameter in signature.parameters.items() if parameter.default is parameter.empty
            and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)]


@pytest.mark.parametrize("path", [path for path in PATHS if is_python(path)])
def test_what_python_binds_has_the_librarys_names(path: str) -> None:
    theirs, ours = inspect.signature(real(path)), inspect.signature(FUNCTIONS[path].builder)
    if path in UNLIKE or "args" in theirs.parameters:
        pytest.skip("of any number of arguments")
    assert required(ours) == required(theirs)
    assert theirs.parameters.keys() <= ours.parameters.keys()


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_missed_that_may_be_left_out(path: str) -> None:
    """Every call with fewer arguments than are needed is refused, whatever the others are."""
    function, names = real(path), required(inspect.signature(FUNCTIONS[path].builder))
    if function is None or path in UNLIKE:
        pytest.skip("this version has no such function, or it takes any number of arguments")
    for count in range(len(names)):
        for given in product((torch.ones(2, 2), 1, [1]), repeat=count):
            with pytest.raises(TypeError):
                function(*given)


@pytest.mark.parametrize("path", [path for path in PATHS
                                  if not is_python(path) and not path.startswith("torch.Tensor.")])
def test_nor_is_it_where_arguments_go_by_name(path: str) -> None:
    """`torch.arange(end=3)` leaves out the first."""
    function, signature = real(path), inspect.signature(FUNCTIONS[path].builder)
    needed = required(signature)
    if function is None or path in UNLIKE:
        pytest.skip("this version has no such function, or it takes any number of arguments")
    for count in (1, 2, 3):
        for names in combinations([*signature.parameters][:6], count):
            if not set(needed) <= set(names):
                for given in product((torch.ones(2, 2), 1, (1,)), repeat=count):
                    with pytest.raises(TypeError):
                        function(**dict(zip(names, given, strict=True)))


@pytest.mark.parametrize("path", [path for path in PATHS if path.startswith(FUNCTIONAL) and not is_python(path)])
def test_compiled_functions_take_no_name_that_is_not_listed(path: str) -> None:
    """Their documentation has other names: F.one_hot() takes `input`, and no `tensor`."""
    name = path.rpartition(".")[2]
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{OPERATORS.get(name, name)}")
    theirs = {"input" if one.name == "self" else one.name for schema in schemas for one in schema.arguments}
    assert theirs
    assert theirs - {"out"} <= inspect.signature(FUNCTIONS[path].builder).parameters.keys()


def test_which_functions_are_written_in_python() -> None:
    of_python = {path for path in PATHS if inspect.isfunction(real(path))}
    assert {path for path in PATHS if is_python(path) and real(path) is not None} == of_python
    assert {FUNCTIONAL + name for name in COMPILED} | PYTHON <= set(PATHS)


@pytest.mark.parametrize("path", MODULES)
def test_modules_are_called_with_what_their_forward_takes(path: str) -> None:
    module = real(path)
    if module is None:
        pytest.skip("this version has no such module")
    parameters = list(inspect.signature(module.forward).parameters.values())[1:]
    assert [one.name + "=" * (one.default is not one.empty) for one in parameters] == [
        *FORWARDS.get(path.rpartition(".")[2], ONE)]


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_need_what_the_table_says(name: str) -> None:
    parameters = list(inspect.signature(real(f"torch.optim.lr_scheduler.{name}").__init__).parameters.values())[1:]
    assert tuple(one.name for one in parameters if one.default is one.empty) == SCHEDULERS[name]


def test_nothing_is_listed_without_a_keyword_that_is_taken() -> None:
    if f"torch {torch.__version__.partition('+')[0]}" not in FILE.read_text(encoding="utf-8").partition("\n")[0]:
        pytest.skip("another release is installed than was listed")
    count = 0
    for path, found in signatures.paths(["torch"]):
        known = keywords(path)
        if known is not None and not known.compiled:
            count += 1
            names, takes_any = signatures.of_callable(found)
            assert not takes_any, path
            assert {*names} - {"self", "cls"} <= {*known.now}, path
    assert count > 200


@pytest.mark.parametrize("call", [
    "torch.softmax(x, dim=1, dtype=torch.float64)", "torch.sum(x, axis=1, keepdims=True)", "x.mean(axis=0)",
    "torch.cat(tensors=[x, x], axis=1)", "x.permute(dims=(1, 0))", "torch.randn(size=(2, 2), generator=None)",
    "x.clamp(min=0, max=1)", "torch.arange(start=0, end=3, step=1)", "x.to(device='cpu', dtype=torch.float16)"])
def test_what_compiled_functions_take_is_listed(call: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    known = keywords(ast.unparse(node.func).replace("x.", "torch.Tensor."))
    eval(call, {"torch": torch, "x": torch.zeros(2, 2)})
    assert known is not None and known.compiled
    assert all(word.arg in known for word in node.keywords)
