"""What is asked of cuDNN: an operation described by its descriptors, as a framework would; a refusal is the outcome."""

from __future__ import annotations

import ctypes
import time
import traceback
from collections.abc import Callable
from typing import Any

from worker_cudnn import CudnnError, Library, MissingError, RefusedError  # type: ignore[import-not-found]
from worker_cudnn_gpu import Gpu, NoGpuError  # type: ignore[import-not-found]
from worker_cudnn_graph import convolved  # type: ignore[import-not-found]
from worker_cudnn_numbers import (  # type: ignore[import-not-found]
    BIASES,
    CELLS,
    CROSS_CORRELATION,
    LAYOUTS,
    PADDED,
    POOLINGS,
    SOFTMAX,
    SPATIAL,
    dtype_of,
    format_of,
)

MAX_TEXT = 4000


class Descriptors:
    """Those of one job; `function` is the last that was called."""

    def __init__(self, library: Library, gpu: Callable[[], Gpu]) -> None:
        self._library, self.gpu = library, gpu
        self.function = ""

    def call(self, function: str, *values: Any) -> None:
        self.function = function
        self._library.call(function, *values)

    def made(self, what: str) -> Any:
        self.function = f"cudnnCreate{what}Descriptor"
        return self._library.made(what)

    def tensor(self, extents: list[int], told: dict[str, Any]) -> Any:
        """(N, C, *spatial)"""
        made, kind = self.made("Tensor"), (format_of(told), dtype_of(told))
        if len(extents) == 4:
            self.call("cudnnSetTensor4dDescriptor", made, *kind, *extents)
        else:
            self.call("cudnnSetTensorNdDescriptorEx", made, *kind, len(extents), extents)
        return made

    def filter(self, extents: list[int], told: dict[str, Any]) -> Any:
        """(filters, channels of a group, *kernel)"""
        made, kind = self.made("Filter"), (dtype_of(told), format_of(told))
        if len(extents) == 4:
            self.call("cudnnSetFilter4dDescriptor", made, *kind, *extents)
        else:
            self.call("cudnnSetFilterNdDescriptor", made, *kind, len(extents), extents)
        return made

    def slid(self, told: dict[str, Any]) -> Any:
        """A convolution, which computes in float32 whatever its dtype (xla/stream_executor/cuda/cuda_dnn.cc:
        GetConvAccumulatorType)."""
        padding, strides, dilation = told["padding"], told["strides"], told["dilation"]
        computed = 1 if told["dtype"] == "float64" else 0
        made = self.made("Convolution")
        if len(strides) == 2:
            self.call("cudnnSetConvolution2dDescriptor", made, *padding, *strides, *dilation, CROSS_CORRELATION,
                      computed)
        else:
            self.call("cudnnSetConvolutionNdDescriptor", made, len(strides), padding, strides, dilation,
                      CROSS_CORRELATION, computed)
        if told["groups"] != 1:
            self.call("cudnnSetConvolutionGroupCount", made, told["groups"])
        return made

    def extents(self, what: str, axes: int, *given: Any) -> list[int]:
        """Of the output, as cuDNN computes them."""
        out = (ctypes.c_int * axes)()
        if axes == 4:
            self.call(f"cudnnGet{what}2dForwardOutputDim", *given,
                      *(ctypes.pointer(ctypes.c_int.from_buffer(out, axis * 4)) for axis in range(4)))
        else:
            self.call(f"cudnnGet{what}NdForwardOutputDim", *given, axes, out)
        return list(out)

    def convolution(self, told: dict[str, Any]) -> None:
        """Forwards; a transposed one is the gradient of one that makes its input of its output."""
        x, conv = self.tensor(told["x"], told), self.slid(told)
        kernel = self.filter(told["kernel"], told)
        if "y" in told:
            x = self.tensor(told["y"], told)
        self.extents("Convolution", len(told["x"]), conv, x, kernel)

    def operation(self, told: dict[str, Any]) -> None:
        convolved(self, told)

    def finalize(self, what: str, made: Any) -> None:
        self.function = f"cudnnBackendFinalize of the {what}"
        self._library.call("cudnnBackendFinalize", made)

    def pooling(self, told: dict[str, Any]) -> None:
        x, made, mode = self.tensor(told["x"], told), self.made("Pooling"), POOLINGS[told["mode"]]
        window, padding, strides = told["window"], told["padding"], told["strides"]
        if len(window) == 2:
            self.call("cudnnSetPooling2dDescriptor", made, mode, 0, *window, *padding, *strides)
        else:
            self.call("cudnnSetPoolingNdDescriptor", made, mode, 0, len(window), window, padding, strides)
        self.extents("Pooling", len(told["x"]), made, x)

    def lrn(self, told: dict[str, Any]) -> None:
        """TensorFlow gives cuDNN the sum, not the mean (cuda_dnn.cc: CudnnNormalizeDescriptor)."""
        count = 2 * told["depth_radius"] + 1
        self.call("cudnnSetLRNDescriptor", self.made("LRN"), max(count, 0), count * told["alpha"], told["beta"],
                  told["bias"])

    def only_tensor(self, told: dict[str, Any]) -> None:
        self.tensor(told["x"], told)

    def batch_norm(self, told: dict[str, Any]) -> None:
        """Epsilon and the number of rows are looked at when it runs, so that this needs a GPU."""
        x, statistics = self.tensor(told["x"], told), self.made("Tensor")
        self.call("cudnnDeriveBNTensorDescriptor", statistics, x, SPATIAL)
        size = told["x"][1]
        gpu = self.gpu()
        data = gpu.zeros(told["x"])
        one, zero = ctypes.pointer(ctypes.c_float(1)), ctypes.pointer(ctypes.c_float(0))
        given = (gpu.handle, SPATIAL, one, zero, x, data, x, gpu.zeros(told["x"]), statistics, gpu.zeros([size]),
                 gpu.zeros([size]))
        if told["training"]:
            self.call("cudnnBatchNormalizationForwardTraining", *given, 1.0, gpu.zeros([size]), gpu.zeros([size]),
                      told["epsilon"], gpu.zeros([size]), gpu.zeros([size]))
        else:
            self.call("cudnnBatchNormalizationForwardInference", *given, gpu.zeros([size]), gpu.zeros([size]),
                      told["epsilon"])
        gpu.wait()

    def rnn(self, told: dict[str, Any]) -> None:
        """The layer, and the sequences that it is given."""
        units, kind = told["units"], dtype_of(told)
        self.call("cudnnSetRNNDescriptor_v8", self.made("RNN"), 0, CELLS[told["cell"]], BIASES,
                  1 if told["bidirectional"] else 0, 0, kind, 1 if told["dtype"] == "float64" else 0, 0,
                  told["features"], units, units, 1, None, PADDED)
        self.sequences(told)

    def sequences(self, told: dict[str, Any]) -> None:
        """(rows, steps, features), each row as long as `lengths` says."""
        rows, steps = told["rows"], told["steps"]
        lengths = told.get("lengths") or [steps] * max(rows, 1)
        self.call("cudnnSetRNNDataDescriptor", self.made("RNNData"), dtype_of(told), LAYOUTS[told["order"]], steps,
                  rows, told["features"], lengths, None)

    def dropout(self, told: dict[str, Any]) -> None:
        """Its state lies on a GPU."""
        made, size = self.made("Dropout"), ctypes.c_size_t()
        gpu = self.gpu()
        self.call("cudnnDropoutGetStatesSize", gpu.handle, ctypes.pointer(size))
        self.call("cudnnSetDropoutDescriptor", made, gpu.handle, told["rate"], gpu.bytes(size.value), size.value, 0)
        gpu.wait()

    def ctc(self, told: dict[str, Any]) -> None:
        """Probabilities (steps, rows, classes); lengths of labels are looked at behind a handle only."""
        made, size = self.made("CTCLoss"), ctypes.c_size_t()
        name = self._library.newest("cudnnSetCTCLossDescriptor_v9", "cudnnSetCTCLossDescriptor_v8")
        self.call(name, made, dtype_of(told), SOFTMAX, 0, told["longest"])
        x = self.tensor(told["x"], told)
        self.call("cudnnGetCTCLossWorkspaceSize_v8", self.gpu().handle, 0, made, x, x, ctypes.pointer(size))


ASKED = {"convolution": Descriptors.convolution, "operation": Descriptors.operation,
         "pooling": Descriptors.pooling, "lrn": Descriptors.lrn, "tensor": Descriptors.only_tensor,
         "batch_norm": Descriptors.batch_norm, "rnn": Descriptors.rnn,
         "sequences": Descriptors.sequences, "dropout": Descriptors.dropout, "ctc": Descriptors.ctc}


class Libraries:
    """What `serve` asks of a library: its versions and the device."""

    def __init__(self, path: str, load: Callable[[str], Any] = ctypes.CDLL) -> None:
        self.library, self._load = Library(path, load), load
        self._gpu: Gpu | None = None

    def gpu(self) -> Gpu:
        if self._gpu is None:
            self._gpu = Gpu(self.library, self._load)
        return self._gpu

    def versions(self, api: str) -> dict[str, str]:
        told = {"cudnn": ".".join(map(str, self.library.version))}
        return told if self._gpu is None else {**told, "driver_cuda": self._gpu.cuda}

    def device_name(self) -> str:
        """The GPU's name once it was used."""
        return self._gpu.name if self._gpu is not None else "descriptors"


def answer(libraries: Libraries, told: dict[str, Any]) -> dict[str, Any]:
    """The reply to one job; `stage` is the function that was called last."""
    reply: dict[str, Any] = {"id": told["id"], "outcome": "ran", "error": None}
    job, began = Descriptors(libraries.library, libraries.gpu), time.perf_counter()
    try:
        if told["ask"] not in ASKED:
            raise RefusedError(f"nothing is known to ask of cuDNN about a {told['ask']}")
        ASKED[told["ask"]](job, told)
    except CudnnError as error:
        reply.update(outcome="raised", error={"types": [error.status], "text": str(error)[:MAX_TEXT]})
    except NoGpuError as error:
        reply.update(outcome="raised", error={"types": ["NoGpuError"], "text": str(error)[:MAX_TEXT]},
                     least_epsilon=libraries.library.least_epsilon())
    except (MissingError, RefusedError) as error:
        reply.update(outcome="refused", error={"types": [], "text": str(error)[:MAX_TEXT]})
    except Exception as error:
        traceback.print_exc()
        reply.update(outcome="refused", error={"types": [], "text": f"{type(error).__name__}: {error}"[:MAX_TEXT]})
    reply.update(stage=job.function, seconds=round(time.perf_counter() - began, 4), backend="cudnn",
                 versions=libraries.versions("cudnn"), device=libraries.device_name(), peak_bytes=None)
    return reply
