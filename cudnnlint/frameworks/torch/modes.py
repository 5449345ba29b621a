"""Whether PyTorch traces, compiles or exports what runs: not in a run of a program that speaks of none of these."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

COMPILING = ("compile(", "torch.compile\n", "torch.export", ".export(", "dynamo.optimize", "dynamo.export")
ASKING = {
    "torch.jit.is_scripting": ("jit.script", "ScriptModule"),
    "torch.jit.is_tracing": ("jit.trace", "onnx.export", "add_graph"),
    "torchvision._is_tracing": ("jit.trace", "onnx.export", "add_graph"),
    "torch.onnx.is_in_onnx_export": ("onnx.export", "dynamo_export", "onnx.utils", "onnx import"),
    "torch.compiler.is_compiling": COMPILING,
    "torch.compiler.is_dynamo_compiling": COMPILING,
    "torch._dynamo.is_compiling": COMPILING,
    "torch.compiler.is_exporting": COMPILING,
}
"""Who asks -> what a program says in which it may be so (torch/jit/__init__.py, torch/compiler/__init__.py;
SummaryWriter.add_graph() traces the model)."""
OTHERS = ("to_torchscript", "to_onnx", "torch.fx", "export_to")
"""What says so in other words."""


@FRAMEWORK.on(*ASKING)
def mode(c: Call) -> Any:
    words = (*ASKING[c.path], *OTHERS)
    sources = {frame.module.source for frame in c.machine.frames}
    if c.machine.uncalled or any(source is None or any(map(source.says, words)) for source in sources):
        return Unknown("whether the program is traced or compiled")
    return None if c.path.startswith("torchvision.") else False  # what torch._C._get_tracing_state() gives
