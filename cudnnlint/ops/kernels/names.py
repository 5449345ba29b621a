"""Names of gradients, by which grappler sorts the terms of their sums: "AddN_2" comes before
"gradient_tape/functional/p_re_lu/Neg", that before ".../p_re_lu/ReluGrad" and ".../p_re_lu/mul/Mul_1".

A gradient has the scope in which its operation was made (tensorflow/python/eager/backprop.py: _gradient_function);
operators of Python open one of their own (math_ops.py: _OverrideBinaryOperatorHelper).
"""

from __future__ import annotations

from collections.abc import Mapping

from cudnnlint.ops.kernels.tape import Kernel, Tape

Name = tuple[str, str, int]
"""Of the layer, of the operation in it, and its place there."""
NAMELESS: Name = "", "", 0
"""A sum."""
KINDS: Mapping[str, str] = {
    "add": "add", "bias": "BiasAdd", "cast": "Cast", "choose": "Select", "concat": "Slice", "contract": "MatMul",
    "convolve": "convolution",
    "div": "truediv", "exp": "mul", "larger": "SelectV2", "leaky_relu": "LeakyReluGrad", "log": "Reciprocal",
    "max_pool": "MaxPool2d", "mean": "truediv", "mul": "mul", "neg": "Neg", "pad": "Slice", "relu": "ReluGrad",
    "relu6": "Relu6Grad", "rsqrt": "RsqrtGrad", "scale": "mul", "select": "SelectV2", "shift": "add",
    "sigmoid": "SigmoidGrad", "softmax": "mul", "sqdiff": "mul", "sqrt": "SqrtGrad", "square": "Mul", "sub": "sub",
    "power": "mul", "sum": "Tile", "tanh": "TanhGrad", "view": "Reshape",
}


def name_of(t: Tape, kernel: Kernel) -> Name:
    """Of the gradients of an operation. The names of operations of one kind count up."""
    index = kernel.output.index
    return t.names.get(kernel.layer, "") + "/", t.parts.get(index, "") + KINDS.get(kernel.kind, ""), index
