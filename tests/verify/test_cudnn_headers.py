"""Signatures and numbers against cuDNN's own headers, which TensorFlow's wheel brings along."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from cudnnlint.devtools.cudnn_answers import worker


def headers() -> str:
    """All of them as one text without comments; "" where there are none."""
    found = find_spec("tensorflow")
    root = Path(found.origin).parent if found is not None and found.origin else Path("/nowhere")
    files = sorted(root.glob("include/third_party/gpus/cudnn/include/cudnn_*_v[89].h"))
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", "\n".join(file.read_text() for file in files), flags=re.DOTALL)


TEXT = headers()
pytestmark = pytest.mark.skipif("cudnnSetLRNDescriptor" not in TEXT, reason="needs TensorFlow's wheel with its headers")
SCALARS = {"int": "i", "int32_t": "i", "int64_t": "l", "double": "d", "float": "f", "size_t": "z", "uint32_t": "u",
           "unsigned": "u", "unsigned int": "u", "unsigned long long": "q"}
EITHER = {"*": "op", "a": "ao"}
"""An address is an output, an array of values, or memory of a GPU."""


def kind(parameter: str) -> str:
    parameter = " ".join(parameter.replace("const", " ").split())
    if "[" in parameter or "*" in parameter:
        return "a" if "[" in parameter else "*"
    type_ = parameter.rpartition(" ")[0]
    if type_ in SCALARS:
        return SCALARS[type_]
    opaque = re.search(rf"typedef (?:struct \w+|void) ?\* ?(?:\w+, ?\*)*{type_}\b", TEXT)
    return "p" if opaque or type_ == "cudnnCallback_t" else "i"


@pytest.mark.parametrize("name", sorted(worker("worker_cudnn").SIGNATURES))
def test_a_signature_is_that_of_the_header(name: str) -> None:
    found = re.search(rf"\b{name}\s*\(([^;]*?)\)\s*(?:CUDNN_DEPRECATED)?\s*;", TEXT, re.DOTALL)
    assert found is not None
    kinds, ours = [kind(each) for each in found[1].split(",")], worker("worker_cudnn").SIGNATURES[name]
    assert len(kinds) == len(ours)
    assert all(own in EITHER.get(theirs, theirs) for own, theirs in zip(ours, kinds, strict=True)), (kinds, ours)


@pytest.mark.parametrize(("name", "table", "key"), [
    ("CUDNN_DATA_BFLOAT16", "DTYPES", "bfloat16"), ("CUDNN_DATA_INT64", "DTYPES", "int64"),
    ("CUDNN_DATA_BOOLEAN", "DTYPES", "bool"), ("CUDNN_DATA_UINT8", "DTYPES", "uint8"),
    ("CUDNN_TENSOR_NHWC", "FORMATS", "NHWC"), ("CUDNN_CROSS_CORRELATION", "CROSS_CORRELATION", ""),
    ("CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING", "POOLINGS", "average"), ("CUDNN_BATCHNORM_SPATIAL", "SPATIAL", ""),
    ("CUDNN_RNN_TANH", "CELLS", "RNN"), ("CUDNN_LSTM", "CELLS", "LSTM"), ("CUDNN_GRU", "CELLS", "GRU"),
    ("CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED", "LAYOUTS", "time"),
    ("CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED", "LAYOUTS", "packed"),
    ("CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED", "LAYOUTS", "batch"), ("CUDNN_RNN_DOUBLE_BIAS", "BIASES", ""),
    ("CUDNN_LOSS_NORMALIZATION_SOFTMAX", "SOFTMAX", ""), ("CUDNN_BACKEND_TENSOR_DESCRIPTOR", "TENSOR", ""),
    ("CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR", "FORWARD", ""),
    ("CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR", "CONVOLUTION", ""), ("CUDNN_TYPE_DATA_TYPE", "DATA_TYPE", ""),
    ("CUDNN_TYPE_INT64", "INT64", ""), ("CUDNN_TYPE_FLOAT", "FLOAT", ""), ("CUDNN_TYPE_CONVOLUTION_MODE", "MODE", ""),
    ("CUDNN_TYPE_BACKEND_DESCRIPTOR", "DESCRIPTOR", ""),
])
def test_a_number_is_the_headers_enumerator(name: str, table: str, key: str) -> None:
    value = getattr(worker("worker_cudnn_numbers"), table)
    assert number(name) == (value[key] if key else value)


def number(name: str) -> int:
    """Written beside it, or counted in its enumeration."""
    for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", TEXT, re.DOTALL):
        count = -1
        for each in body.split(","):
            told, _, given = each.partition("=")
            count = int(given) if given.strip().lstrip("-").isdigit() else count + 1
            if told.split()[:1] == [name]:
                return count
    raise AssertionError(f"no {name} in the headers")
