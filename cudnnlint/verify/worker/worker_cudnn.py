"""An installed cuDNN behind ctypes: its files opened, its functions called, its refusals read.

Every signature and number is that of cuDNN's public headers (cudnn.h, from 8 on cudnn_ops*.h, cudnn_cnn*.h,
cudnn_adv*.h, from 9 on cudnn_graph.h).
"""

from __future__ import annotations

import ctypes
import glob
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

PARTS = {8: ("ops_infer", "cnn_infer", "adv_infer", "ops_train", "cnn_train", "adv_train"),
         9: ("graph", "ops", "cnn", "adv")}
"""The files behind libcudnn.so.N. Asked by themselves, a part that is missing is an error; behind libcudnn.so.N it ends
the process."""
SIGNATURES = {
    "cudnnCreate": "o", "cudnnSetCallback": "upp", "cudnnGetLastErrorString": "pz",
    "cudnnCreateTensorDescriptor": "o", "cudnnCreateFilterDescriptor": "o", "cudnnCreateConvolutionDescriptor": "o",
    "cudnnCreatePoolingDescriptor": "o", "cudnnCreateLRNDescriptor": "o", "cudnnCreateDropoutDescriptor": "o",
    "cudnnCreateRNNDescriptor": "o", "cudnnCreateRNNDataDescriptor": "o", "cudnnCreateCTCLossDescriptor": "o",
    "cudnnSetTensor4dDescriptor": "piiiiii", "cudnnSetTensorNdDescriptorEx": "piiia",
    "cudnnSetFilter4dDescriptor": "piiiiii", "cudnnSetFilterNdDescriptor": "piiia",
    "cudnnSetConvolution2dDescriptor": "piiiiiiii", "cudnnSetConvolutionNdDescriptor": "piaaaii",
    "cudnnSetConvolutionGroupCount": "pi",
    "cudnnGetConvolution2dForwardOutputDim": "pppoooo", "cudnnGetConvolutionNdForwardOutputDim": "pppio",
    "cudnnSetPooling2dDescriptor": "piiiiiiii", "cudnnSetPoolingNdDescriptor": "piiiaaa",
    "cudnnGetPooling2dForwardOutputDim": "ppoooo", "cudnnGetPoolingNdForwardOutputDim": "ppio",
    "cudnnSetLRNDescriptor": "puddd", "cudnnDeriveBNTensorDescriptor": "ppi",
    "cudnnBatchNormalizationForwardTraining": "pioopppppppdppdpp",
    "cudnnBatchNormalizationForwardInference": "pioopppppppppd",
    "cudnnSetRNNDescriptor_v8": "piiiiiiiiiiiipu", "cudnnSetRNNDataDescriptor": "piiiiiap",
    "cudnnDropoutGetStatesSize": "po", "cudnnSetDropoutDescriptor": "ppfpzq",
    "cudnnSetCTCLossDescriptor_v8": "piiii", "cudnnSetCTCLossDescriptor_v9": "piiii",
    "cudnnGetCTCLossWorkspaceSize_v8": "pipppo", "cudnnBackendCreateDescriptor": "io",
    "cudnnBackendSetAttribute": "piilo", "cudnnBackendFinalize": "p",
}
"""Of each function its parameters: a(rray of ints), d(ouble), f(loat), i(nt, also an enumerator), l (int64_t),
o(utput, or values by address), p(ointer), q (unsigned long long), u(nsigned int), z (size_t)."""
INT, UNSIGNED = 2**31, 2**32
ERRORS_AND_WARNINGS = 6
"""cudnn_graph.h: CUDNN_SEV_ERROR_EN | CUDNN_SEV_WARNING_EN; the reason of NOT_SUPPORTED is a warning."""
MAX_LINES = 64
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_REASON = re.compile(r"Reason: (.+)")
_MINIMUM = re.compile(r"#define\s+CUDNN_BN_MIN_EPSILON\s+([0-9.e+-]+)")
HEADERS = ("cudnn_ops.h", "cudnn_ops_infer.h", "cudnn.h")


class CudnnError(Exception):
    """A call that gave a status other than success."""

    def __init__(self, function: str, status: str, reason: str) -> None:
        super().__init__(": ".join(filter(None, (function, reason))))
        self.function, self.status = function, status


class MissingError(Exception):
    """A function that this cuDNN does not have."""


class RefusedError(Exception):
    """What cannot be asked: a number that the parameter does not hold."""


class Library:
    """One cuDNN. `load` opens a shared library by its path."""

    def __init__(self, path: str, load: Callable[[str], Any] = ctypes.CDLL) -> None:
        self.path = path
        if hasattr(os, "add_dll_directory"):  # where Windows looks for the parts
            os.add_dll_directory(os.path.dirname(os.path.abspath(path)))
        self._waiting, self._load = parts(path), load
        self._opened: list[Any] = []
        self._functions: dict[str, Any] = {}
        self._told: list[str] = []
        self._callback = CALLBACK(self._hear)
        version = self._function("cudnnGetVersion")
        version.restype = ctypes.c_size_t
        self.version = numbers(int(version()))
        if self._has("cudnnSetCallback"):
            self._function("cudnnSetCallback")(*converted(
                "cudnnSetCallback", (ERRORS_AND_WARNINGS, None, ctypes.cast(self._callback, ctypes.c_void_p).value)))

    def call(self, name: str, *values: Any) -> None:
        """CudnnError if it refuses."""
        function = self._function(name)
        given = converted(name, values)
        del self._told[:]
        if status := function(*given):
            raise CudnnError(name, self._status(status), self._reason())

    def made(self, what: str) -> ctypes.c_void_p:
        """A descriptor, with nothing in it."""
        pointer = ctypes.c_void_p()
        self.call(f"cudnnCreate{what}Descriptor", ctypes.pointer(pointer))
        return pointer

    def newest(self, *names: str) -> str:
        """The first that is there."""
        return next(filter(self._has, names), names[-1])

    def least_epsilon(self) -> str:
        """CUDNN_BN_MIN_EPSILON of the headers beside the library, else as it is known: 0.0 from 7.5 on."""
        folder = os.path.dirname(os.path.dirname(os.path.abspath(self.path)))
        for name in HEADERS:
            try:
                with open(os.path.join(folder, "include", name), encoding="utf-8", errors="replace") as file:
                    if found := _MINIMUM.search(file.read()):
                        return found[1]
            except OSError:
                continue
        return "0.0" if self.version >= (7, 5) else "1e-5"

    def _has(self, name: str) -> bool:
        try:
            self._function(name)
        except MissingError:
            return False
        return True

    def _function(self, name: str) -> Any:
        """Further parts are opened until one has it."""
        if name in self._functions:
            return self._functions[name]
        for library in self._libraries():
            try:
                self._functions[name] = getattr(library, name)
                return self._functions[name]
            except AttributeError:
                continue
        raise MissingError(f"this cuDNN has no {name}")

    def _libraries(self) -> Iterator[Any]:
        yield from list(self._opened)
        while self._waiting:
            self._opened.append(self._load(self._waiting.pop(0)))
            yield self._opened[-1]

    def _hear(self, severity: int, data: int, about: int, message: int) -> None:
        """`message` is a list of texts that an empty one closes."""
        for _ in range(MAX_LINES):
            text = ctypes.string_at(message) if message else b""
            if not text:
                return
            self._told.append(text.decode(errors="replace"))
            message += len(text) + 1

    def _reason(self) -> str:
        """The innermost condition that failed, or ""."""
        for line in self._told:
            if found := _REASON.search(line):
                return found[1].strip()
        if not self._has("cudnnGetLastErrorString"):
            return ""
        buffer = ctypes.create_string_buffer(1024)
        self._function("cudnnGetLastErrorString")(*converted(
            "cudnnGetLastErrorString", (ctypes.addressof(buffer), len(buffer))))
        return " ".join(buffer.value.decode(errors="replace").split())

    def _status(self, status: int) -> str:
        name = self._function("cudnnGetErrorString")
        name.restype = ctypes.c_char_p
        text = name(ctypes.c_int(status))
        return text.decode(errors="replace") if text else f"status {status}"


def parts(path: str) -> list[str]:
    """The files of its parts that lie beside the library, else the library itself.

    In this order: a part finds those that it needs among the ones that are loaded already.
    """
    major = re.search(r"\.so\.(\d+)", os.path.basename(os.path.realpath(path)))
    found = []
    for part in PARTS.get(int(major[1]) if major else 0, ()):
        name = f"libcudnn_{part}.so.{major[1] if major else ''}*"
        for folder in (os.path.dirname(os.path.abspath(path)), os.path.dirname(os.path.realpath(path))):
            if files := glob.glob(os.path.join(glob.escape(folder), name)):
                found.append(min(files, key=len))
                break
    return found or [path]


def numbers(version: int) -> tuple[int, int, int]:
    """As cudnn_version.h puts them together.

    >>> numbers(8907), numbers(90100), numbers(7605)
    ((8, 9, 7), (9, 1, 0), (7, 6, 5))
    """
    scale = 10000 if version >= 90000 else 1000
    return version // scale, version % scale // 100, version % 100


def converted(name: str, values: tuple[Any, ...]) -> list[Any]:
    """As the function takes them; ctypes would cut what is too large."""
    signature = SIGNATURES[name]
    if len(signature) != len(values):
        raise TypeError(f"{name} takes {len(signature)} values, not {len(values)}")
    return [_AS[code](value) for code, value in zip(signature, values)]  # noqa: B905 - Python 3.9 may run this


def _int(value: int) -> ctypes.c_int:
    if not -INT <= value < INT:
        raise RefusedError(f"{value} does not fit into an int, which cuDNN takes")
    return ctypes.c_int(value)


def _unsigned(value: int) -> ctypes.c_uint:
    if not 0 <= value < UNSIGNED:
        raise RefusedError(f"{value} does not fit into an unsigned int, which cuDNN takes")
    return ctypes.c_uint(value)


def _array(values: list[int]) -> Any:
    return (ctypes.c_int * len(values))(*(_int(value) for value in values))


def _pointer(value: Any) -> ctypes.c_void_p:
    return value if isinstance(value, ctypes.c_void_p) else ctypes.c_void_p(value)


_AS: dict[str, Callable[[Any], Any]] = {
    "a": _array, "d": ctypes.c_double, "f": ctypes.c_float, "i": _int, "l": ctypes.c_int64, "o": lambda value: value,
    "p": _pointer, "q": ctypes.c_ulonglong, "u": _unsigned, "z": ctypes.c_size_t}
