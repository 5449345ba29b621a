"""What modules of PyTorch are called with: as many tensors as their forward() takes, and no tuple or array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.binding import STAR, lacking
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.tuples_given import is_several, tell_of_array, tell_of_module, tell_of_tuple
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

COMPARED, GUIDED, STEPPED = ("input", "target"), ("input", "output_size="), ("input", "hx=")
ATTENDED = ("key_padding_mask=", "need_weights=", "attn_mask=", "average_attn_weights=", "is_causal=")
DECODED = ("tgt", "memory", "tgt_mask=", "memory_mask=", "tgt_key_padding_mask=", "memory_key_padding_mask=",
           "tgt_is_causal=", "memory_is_causal=")
FORWARDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss",
                     "HingeEmbeddingLoss", "MultiLabelMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d",
                     "SmoothL1Loss", "SoftMarginLoss"), COMPARED),
    "TripletMarginLoss": ("anchor", "positive", "negative"), "PoissonNLLLoss": ("log_input", "target"),
    **dict.fromkeys(("MarginRankingLoss", "CosineEmbeddingLoss"), ("input1", "input2", "target")),
    "GaussianNLLLoss": ("input", "target", "var"),
    **dict.fromkeys(("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"), GUIDED),
    **dict.fromkeys(("GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"), STEPPED),
    "Bilinear": ("input1", "input2"), "CTCLoss": ("log_probs", "targets", "input_lengths", "target_lengths"),
    "EmbeddingBag": ("input", "offsets=", "per_sample_weights="), "RMSNorm": ("x",),
    "MultiheadAttention": ("query", "key", "value", *ATTENDED),
    "Transformer": ("src", "tgt", "src_mask=", "tgt_mask=", "memory_mask=", "src_key_padding_mask=",
                    "tgt_key_padding_mask=", "memory_key_padding_mask=", "src_is_causal=", "tgt_is_causal=",
                    "memory_is_causal="),
    "TransformerDecoder": DECODED, "TransformerDecoderLayer": DECODED,
    "TransformerEncoder": ("src", "mask=", "src_key_padding_mask=", "is_causal="),
    "TransformerEncoderLayer": ("src", "src_mask=", "src_key_padding_mask=", "is_causal="),
    "Rearrange": ("input",), "Reduce": ("input",), "DropPath": ("x",),
    **dict.fromkeys(("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"), ("input", "indices", "output_size=")),
}
"""Parameters of forward() by class, `=` where they have a default; all others take one input (torch/nn/modules)."""
ONE = ("input",)


def refused(c: Call, layer: LayerV) -> Unknown | None:
    """Why nothing comes of a call of a module of PyTorch."""
    if c.args:
        given = plain(c.args[0])
        if is_several(given) and tell_of_tuple(c.machine, layer, given, c.span):
            return Unknown("a module that is given a tuple")
        if type(given) is not Tensor and tell_of_module(c.machine, layer, given, c.span):
            return Unknown("a module that is given a module")
        if type(given) is Tensor and given.kind == "numpy":
            tell_of_array(c.machine, layer, given, c.span)
    if len(c.args) == 2 and FORWARDS.get(layer.display) is COMPARED and isinstance(
            target := plain(c.args[1]), Tensor) and target.kind == "numpy":
        tell_of_array(c.machine, layer, target, c.span)
    if layer.user is not None or layer.path.count(".") != 2:
        return None
    return misgiven(c.machine, layer.display, FORWARDS.get(layer.display, ONE), c.args, c.kwargs, c.span)


def misgiven(m: Machine, name: str, parameters: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any],
             span: Span) -> Unknown | None:
    """`nn.CrossEntropyLoss()(scores)`, `linear(x, y)`: forward() gets what the module is given
    (torch/nn/modules/module.py: Module._call_impl)."""
    if parameters is ONE and len(args) == 1 and not kwargs:
        return None
    if STAR in kwargs or m.uncalled or not is_meant(m):
        return None
    names = [one.rstrip("=") for one in parameters]
    missing = [one for one in parameters[len(args):] if not one.endswith("=") and one not in kwargs]
    extra = [one for one in kwargs if one not in names]
    error = f'TypeError "{name}.forward() '
    if len(args) > len(parameters):
        count = len(parameters) + 1
        wrong = Mismatch(Problem.UNKNOWN_ARGUMENT, f"{name} is called on {len(args)} arguments, and takes {count - 1}",
                         help=f"it takes {', '.join(names)}", facts=(("positional", len(args)),),
                         error=f'{error}takes {count} positional arguments but {len(args) + 1} were given"')
    elif missing:
        wrong = lacking(name, missing)
    elif extra:
        wrong = Mismatch(Problem.UNKNOWN_ARGUMENT, "", argument=extra[0], facts=(
            ("name", extra[0]), ("versions", ""), ("twice", False), ("parameters", tuple(names))),
            error=f'{error}got an unexpected keyword argument \'{extra[0]}\'"')
    else:
        return None
    refuse(m, span, wrong, what=f"forward() of {name}", stage="called")
    return Unknown(f"{name} with other arguments than it takes")
