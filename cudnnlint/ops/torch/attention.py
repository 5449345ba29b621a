"""Attention of PyTorch: MultiheadAttention, TransformerEncoderLayer, TransformerDecoderLayer and scaled products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import is_known, lift, may_equal
from cudnnlint.ops.functions._core import flag
from cudnnlint.ops.functions.matmul import matmul as any_matmul
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import count, dtype_of, negative, not_whole
from cudnnlint.ops.torch._masks import given, scene, wrong_attention, wrong_padding, wrong_scores
from cudnnlint.ops.torch.normalization import LayerNorm
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Stack, Tensor, Unknown


def indivisible(width: Any, heads: Any) -> Iterator[Mismatch]:
    """torch/nn/modules/activation.py: MultiheadAttention.__init__."""
    if isinstance(width, float | str) and (wrong := negative("embed_dim", width)):
        yield wrong
    for name, several in (("embed_dim", width), ("num_heads", heads)):
        if isinstance(several, tuple | list) and (wrong := negative(name, several)):
            yield replace(wrong, error="TypeError \"'<=' not supported between instances of "
                                       f"'{type(several).__name__}' and 'int'\"")
            return
    low = next((name for name, given in (("embed_dim", width), ("num_heads", heads)) if is_known(given) and given <= 0),
               None)
    if low is not None:
        yield Mismatch(Problem.NON_POSITIVE, f"{low} is {width if low == 'embed_dim' else heads}", argument=low,
                       help=f"{low} must be a positive integer",
                       error='ValueError "embed_dim and num_heads must be greater than 0"')
    if is_known(width) and is_known(heads) and heads > 0 and width > 0 and width % heads:
        yield Mismatch(Problem.GROUPS, f"embed_dim {width} is not divisible by num_heads {heads}", argument="num_heads",
                       help="num_heads must divide embed_dim",
                       error='AssertionError "embed_dim must be divisible by num_heads"')


def wrong_width(x: Tensor, width: Any, name: str) -> Mismatch | None:
    """torch/nn/functional.py: multi_head_attention_forward."""
    if isinstance(x.shape, Unknown) or not x.shape or may_equal(count(width), x.shape[-1]):
        return None
    return Mismatch(Problem.CHANNELS, f"{name} takes {width} features, its input has {x.shape[-1]}: {x}",
                    help=f"{name}({x.shape[-1]}, ...)",
                    error=f'AssertionError "was expecting embedding dimension of {width}, but got {x.shape[-1]}"',
                    facts=(("expected", width), ("actual", x.shape[-1])))


@record(frozen=True, slots=True)
class MultiheadAttention:
    """query, key, value (T, N, E) -> (output (T, N, E), weights (N, T, S) or None); batch_first swaps T and N."""

    embed_dim: Any
    num_heads: Any
    bias: Any = True
    add_bias_kv: Any = False
    kdim: Any = None
    vdim: Any = None
    batch_first: Any = False

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        yield from indivisible(self.embed_dim, self.num_heads)

    def infer(self, call: LayerCall) -> Outcome:
        query = call.inputs
        if not isinstance(query, Tensor) or isinstance(query.shape, Unknown):
            return (query if isinstance(query, (Tensor, Unknown)) else Unknown("query"), Unknown("weights"))
        if len(query.shape) not in (2, 3):
            return Mismatch(Problem.RANK, f"MultiheadAttention needs 2 or 3 axes, its query has {len(query.shape)}",
                            error='AssertionError "query should be unbatched 2D or batched 3D tensor but received '
                                  f'{len(query.shape)}-D query tensor"',
                            facts=(("expected", 3), ("actual", len(query.shape))))
        if wrong := not_whole("num_heads", self.num_heads) or wrong_width(
                query, self.embed_dim, "MultiheadAttention") or self._wrong_keys(query, call) \
                or self._wrong_masks(query, call):
            return wrong
        return (query.with_(), self._weights(query, call))

    def _wrong_keys(self, query: Tensor, call: LayerCall) -> Mismatch | None:
        """Keys and values of another width than the weights for them (multi_head_attention_forward, _in_projection)."""
        key, value = (given(call, place, name) for place, name in enumerate(("key", "value")))
        if not all(isinstance(one, Tensor) and isinstance(one.shape, tuple) and len(one.shape) == query.rank
                   for one in (key, value)):
            return None
        width = count(self.embed_dim)
        packed = self.kdim is None and self.vdim is None
        lead = slice(None) if packed else slice(-1)
        if not all(map(may_equal, key.shape[lead], value.shape[lead])):
            return Mismatch(
                Problem.MERGE, f"MultiheadAttention is given keys {key} and values {value}",
                help="one value for each key" if may_equal(key.shape[-1], value.shape[-1]) else
                "kdim=..., vdim=...", facts=(("shapes", (key.shape, value.shape)),),
                error='AssertionError "does not match value shape" or "key\'s sequence and batch dims"')
        for name, asked, one in (("key", self.kdim, key), ("value", self.vdim, value)):
            wanted = width if asked is None else count(asked)
            if not may_equal(wanted, one.shape[-1]):
                return Mismatch(
                    Problem.CHANNELS, f"MultiheadAttention takes {name}s of {wanted} features, it is given "
                    f"{one.shape[-1]}: {one}", help=f"{name[0]}dim={one.shape[-1]}",
                    error='RuntimeError "mat1 and mat2 shapes cannot be multiplied"' if packed else
                    f'AssertionError "expecting {name} weights shape of"',
                    facts=(("expected", wanted), ("actual", one.shape[-1])))
        return self._wrong_batch(query, key)

    def _wrong_batch(self, query: Tensor, key: Tensor) -> Mismatch | None:
        """Keys are seen as of as many sequences as the queries."""
        at, of_keys = (scene(one, one, self.batch_first, self.num_heads) for one in (query, key))
        if at is None or of_keys is None or may_equal(at.batch, of_keys.batch):
            return None
        return Mismatch(
            Problem.MERGE, f"MultiheadAttention is given {at.batch} sequences of queries, {query}, and "
            f"{of_keys.batch} of keys, {key}", facts=(("shapes", (query.shape, key.shape)),),
            help="axes are (time, batch, features), or with batch_first=True (batch, time, features)",
            error='RuntimeError "is invalid for input of size"')

    def _wrong_masks(self, query: Tensor, call: LayerCall) -> Mismatch | None:
        at = scene(query, given(call, 0, "key"), self.batch_first, self.num_heads)
        if flag(self.add_bias_kv) is not False:
            return None
        return wrong_padding(at, given(call, 2, "key_padding_mask"), "key_padding_mask") \
            or wrong_attention(at, given(call, 4, "attn_mask"), "attn_mask")

    def _weights(self, query: Tensor, call: LayerCall) -> Any:
        wanted = flag(call.kwargs.get("need_weights", call.args[3] if len(call.args) > 3 else True))
        averaged = flag(call.kwargs.get("average_attn_weights", True))
        key = call.args[0] if call.args else call.kwargs.get("key")
        first = flag(self.batch_first)
        if wanted is False:
            return None
        if wanted is None or averaged is not True or first is None or not isinstance(key, Tensor) \
                or not isinstance(key.shape, tuple) or len(key.shape) != query.rank or flag(self.add_bias_kv):
            return Unknown("attention weights")
        assert isinstance(query.shape, tuple)
        at = 1 if first and len(key.shape) == 3 else 0
        batch: tuple[Dim, ...] = () if len(key.shape) == 2 else (query.shape[0 if first else 1],)
        return query.with_(shape=(*batch, query.shape[at], key.shape[at]))

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if self.kdim is not None or self.vdim is not None or flag(self.add_bias_kv) is not False \
                or flag(self.bias) is None:
            return Unknown("kdim and vdim")
        return attention_weights(count(self.embed_dim), bool(flag(self.bias)))


def attention_weights(width: Dim, bias: bool, prefix: str = "") -> tuple[Weight, ...]:
    three = lift(lambda n: 3 * n, width)
    kernels = (Weight(f"{prefix}in_proj_weight", (three, width)), Weight(f"{prefix}out_proj.weight", (width, width)))
    return (*kernels, Weight(f"{prefix}in_proj_bias", (three,)), Weight(f"{prefix}out_proj.bias", (width,))) if bias \
        else kernels


@record(frozen=True, slots=True)
class TransformerLayer:
    """Shape in, shape out (torch/nn/modules/transformer.py: TransformerEncoderLayer, TransformerDecoderLayer)."""

    name: str
    d_model: Any
    nhead: Any
    dim_feedforward: Any = 2048
    bias: Any = True
    batch_first: Any = False

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        yield from indivisible(self.d_model, self.nhead)
        inner = self.dim_feedforward
        if isinstance(inner, float | str) and (wrong := negative("dim_feedforward", inner)):
            yield wrong

    def infer(self, call: LayerCall) -> Outcome:
        x = call.inputs
        if not isinstance(x, Tensor):
            return x if isinstance(x, Unknown) else Unknown("input")
        return not_whole("nhead", self.nhead) or wrong_width(x, self.d_model, self.name) \
            or self.wrong_masks(x, call) or x.with_()

    def wrong_masks(self, x: Tensor, call: LayerCall) -> Mismatch | None:
        """Of forward(src, src_mask, src_key_padding_mask), a decoder's of forward(tgt, memory, tgt_mask, ...)."""
        own = scene(x, x, self.batch_first, self.nhead)
        if not self.name.endswith("DecoderLayer"):
            name = "mask" if "mask" in call.kwargs else "src_mask"
            return wrong_padding(own, given(call, 1, "src_key_padding_mask"), "src_key_padding_mask") \
                or wrong_attention(own, given(call, 0, name), name)
        both = scene(x, given(call, 0, "memory"), self.batch_first, self.nhead)
        return wrong_padding(own, given(call, 3, "tgt_key_padding_mask"), "tgt_key_padding_mask") \
            or wrong_attention(own, given(call, 1, "tgt_mask"), "tgt_mask") \
            or wrong_padding(both, given(call, 4, "memory_key_padding_mask"), "memory_key_padding_mask") \
            or wrong_attention(both, given(call, 2, "memory_mask"), "memory_mask")

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        width, inner = count(self.d_model), count(self.dim_feedforward)
        bias = flag(self.bias)
        if bias is None:
            return Unknown("bias")
        decoder = self.name.endswith("DecoderLayer")
        found = [*attention_weights(width, bias, "self_attn.")]
        found += attention_weights(width, bias, "multihead_attn.") if decoder else ()
        shapes: dict[str, tuple[Dim, ...]] = {"linear1": (inner, width), "linear2": (width, inner)}
        shapes |= {f"norm{place}": (width,) for place in range(1, 4 if decoder else 3)}
        for name, shape in shapes.items():
            found.append(Weight(f"{name}.weight", shape))
            found += [Weight(f"{name}.bias", (shape[0],))] if bias else []
        return tuple(found)


@record(frozen=True, slots=True)
class TransformerStack:
    """Copies of one layer after each other, then a norm (torch/nn/modules/transformer.py: TransformerEncoder)."""

    layer: Any
    num_layers: Any
    norm: Any = None

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        return iter(())

    def infer(self, call: LayerCall) -> Outcome:
        if not isinstance(self.layer, TransformerLayer):
            return Unknown("layers of a transformer")
        made = self.layer.infer(call)
        return self.norm.infer(LayerCall(made)) if isinstance(self.norm, LayerNorm) and isinstance(made, Tensor) \
            else made

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        each = self.layer.weights(call) if isinstance(self.layer, TransformerLayer) else Unknown("layers")
        last: Any = () if self.norm is None else Unknown("norm")
        if hasattr(self.norm, "weights"):
            last = self.norm.weights(call)
        if isinstance(each, Unknown) or isinstance(last, Unknown) or not is_known(self.num_layers) \
                or not 0 <= self.num_layers <= 512:
            return Unknown("layers of a transformer")
        return (*(Weight(f"layers.{place}.{one.name}", one.shape) for place in range(self.num_layers) for one in each),
                *(Weight(f"norm.{one.name}", one.shape) for one in last))


@record(frozen=True, slots=True)
class Transformer:
    """src, tgt -> the shape of tgt (torch/nn/modules/transformer.py: Transformer)."""

    encoder: TransformerStack
    decoder: TransformerStack

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        yield from self.encoder.layer.check(stack)

    def infer(self, call: LayerCall) -> Outcome:
        target = call.args[0] if call.args else call.kwargs.get("tgt", Unknown("no target"))
        for x in (call.inputs, target):
            if isinstance(x, Tensor) and (wrong := wrong_width(x, self.encoder.layer.d_model, "Transformer")):
                return wrong
        if wrong := self._wrong_masks(call, target):
            return wrong
        return target.with_() if isinstance(target, Tensor) else Unknown("no target")

    def _wrong_masks(self, call: LayerCall, target: Any) -> Mismatch | None:
        """Of forward(src, tgt, src_mask, tgt_mask, memory_mask, src_key_padding_mask, ...)."""
        layer = self.encoder.layer
        places = {"src": (call.inputs, call.inputs, 1, 4), "tgt": (target, target, 2, 5),
                  "memory": (target, call.inputs, 3, 6)}
        for name, (query, key, masked, padded) in places.items():
            at = scene(query, key, layer.batch_first, layer.nhead)
            padding, mask = f"{name}_key_padding_mask", f"{name}_mask"
            if wrong := wrong_padding(at, given(call, padded, padding), padding) \
                    or wrong_attention(at, given(call, masked, mask), mask):
                return wrong
        return None

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        found: list[Weight] = []
        for name, stack in (("encoder", self.encoder), ("decoder", self.decoder)):
            part = stack.weights(call)
            if isinstance(part, Unknown):
                return part
            found += [Weight(f"{name}.{one.name}", one.shape) for one in part]
        return tuple(found)


@layer("torch.nn.TransformerEncoder")
def transformer_encoder(encoder_layer: Any, num_layers: Any, norm: Any = None, enable_nested_tensor: Any = True,
                        mask_check: Any = True) -> TransformerStack:
    return TransformerStack(getattr(encoder_layer, "op", None), num_layers, norm and getattr(norm, "op", norm))


@layer("torch.nn.TransformerDecoder")
def transformer_decoder(decoder_layer: Any, num_layers: Any, norm: Any = None) -> TransformerStack:
    return TransformerStack(getattr(decoder_layer, "op", None), num_layers, norm and getattr(norm, "op", norm))


@layer("torch.nn.Transformer")
def transformer(d_model: Any = 512, nhead: Any = 8, num_encoder_layers: Any = 6, num_decoder_layers: Any = 6,
                dim_feedforward: Any = 2048, dropout: Any = 0.1, activation: Any = "relu", custom_encoder: Any = None,
                custom_decoder: Any = None, layer_norm_eps: Any = 1e-5, batch_first: Any = False,
                norm_first: Any = False, bias: Any = True, device: Any = None, dtype: Any = None) -> Transformer:
    last = LayerNorm("LayerNorm", d_model, True, bias)
    encoder = TransformerLayer("TransformerEncoderLayer", d_model, nhead, dim_feedforward, bias, batch_first)
    decoder = TransformerLayer("TransformerDecoderLayer", d_model, nhead, dim_feedforward, bias, batch_first)
    ours = custom_encoder is None and custom_decoder is None
    return Transformer(TransformerStack(encoder, num_encoder_layers if ours else None, last),
                       TransformerStack(decoder, num_decoder_layers, last))


@layer("torch.nn.MultiheadAttention")
def multihead_attention(embed_dim: Any, num_heads: Any, dropout: Any = 0.0, bias: Any = True, add_bias_kv: Any = False,
                        add_zero_attn: Any = False, kdim: Any = None, vdim: Any = None, batch_first: Any = False,
                        device: Any = None, dtype: Any = None) -> MultiheadAttention:
    return MultiheadAttention(embed_dim, num_heads, bias, True if flag(add_zero_attn) is not False else add_bias_kv,
                              kdim, vdim, batch_first)


@layer("torch.nn.TransformerEncoderLayer")
def encoder_layer(d_model: Any, nhead: Any, dim_feedforward: Any = 2048, dropout: Any = 0.1, activation: Any = "relu",
                  layer_norm_eps: Any = 1e-5, batch_first: Any = False, norm_first: Any = False, bias: Any = True,
                  device: Any = None, dtype: Any = None) -> TransformerLayer:
    return TransformerLayer("TransformerEncoderLayer", d_model, nhead, dim_feedforward, bias, batch_first)


@layer("torch.nn.TransformerDecoderLayer")
def decoder_layer(d_model: Any, nhead: Any, dim_feedforward: Any = 2048, dropout: Any = 0.1, activation: Any = "relu",
                  layer_norm_eps: Any = 1e-5, batch_first: Any = False, norm_first: Any = False, bias: Any = True,
                  device: Any = None, dtype: Any = None) -> TransformerLayer:
    return TransformerLayer("TransformerDecoderLayer", d_model, nhead, dim_feedforward, bias, batch_first)


@function("torch.nn.Transformer.generate_square_subsequent_mask")
def square_subsequent_mask(sz: Any, device: Any = None, dtype: Any = None) -> Outcome:
    return Tensor((count(sz), count(sz)), dtype_of(dtype, "float32"), "torch")


@function("torch.nn.functional.scaled_dot_product_attention")
def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: Any = 0.0,
                                 is_causal: Any = False, scale: Any = None, enable_gqa: Any = False) -> Outcome:
    if not isinstance(query, Tensor) or not isinstance(value, Tensor) or isinstance(query.shape, Unknown) \
            or isinstance(value.shape, Unknown) or len(query.shape) < 2 or not value.shape:
        return Unknown("attention")
    grouped = flag(enable_gqa) is not False
    if grouped or not isinstance(key, Tensor) or isinstance(key.shape, Unknown) or len(key.shape) < 2:
        batch = query.shape[:-2] if grouped else tuple(Unknown("broadcast") for _ in query.shape[:-2])
        return query.with_(shape=(*batch, query.shape[-2], value.shape[-1]))
    turned = key.with_(shape=(*key.shape[:-2], key.shape[-1], key.shape[-2]))
    scores = any_matmul(query, turned, "torch", "scaled_dot_product_attention")
    if isinstance(scores, Mismatch) and scores.problem is Problem.CHANNELS:
        return replace(scores, error='RuntimeError "Expected size for first two dimensions of batch2 tensor to be" '
                                     'or "mat1 and mat2 shapes cannot be multiplied"')
    if not isinstance(scores, Tensor) or isinstance(scores.shape, Unknown):
        return scores if isinstance(scores, Mismatch) else query.with_(shape=Unknown("attention"))
    return wrong_scores(scores.shape, attn_mask) or query.with_(shape=(*scores.shape[:-1], value.shape[-1]))


@function("torch.nn.attention.flex_attention.flex_attention")
def flex_attention(query: Any, key: Any, value: Any, score_mod: Any = None, block_mask: Any = None, scale: Any = None,
                   enable_gqa: Any = False, return_lse: Any = False, kernel_options: Any = None, *,
                   return_aux: Any = None) -> Outcome:
    """A row for each query, as wide as the values (torch/nn/attention/flex_attention.py)."""
    if not isinstance(query, Tensor) or not isinstance(value, Tensor) or isinstance(query.shape, Unknown) \
            or isinstance(value.shape, Unknown) or not query.shape or not value.shape or return_aux is not None:
        return Unknown("attention")
    out, both = query.with_(shape=(*query.shape[:-1], value.shape[-1])), flag(return_lse)
    if both is None:
        return Unknown("attention")
    return (out, query.with_(shape=query.shape[:-1], dtype="float32")) if both else out


@function("torch.nn.functional.multi_head_attention_forward")
def multi_head_attention_forward(
        query: Any, key: Any, value: Any, embed_dim_to_check: Any, num_heads: Any, in_proj_weight: Any,
        in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: Any, dropout_p: Any, out_proj_weight: Any,
        out_proj_bias: Any, training: Any = True, key_padding_mask: Any = None, need_weights: Any = True,
        attn_mask: Any = None, use_separate_proj_weight: Any = False, q_proj_weight: Any = None,
        k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None,
        average_attn_weights: Any = True, is_causal: Any = False) -> Outcome:
    """The last product decides how wide it gets (torch/nn/functional.py)."""
    if not isinstance(query, Tensor) or isinstance(query.shape, Unknown) or not query.shape:
        return Unknown("attention")
    rows = out_proj_weight.shape if isinstance(out_proj_weight, Tensor) else None
    width = rows[0] if isinstance(rows, tuple) and rows else Unknown("width of the last product")
    weights = None if flag(need_weights) is False else Unknown("weights of attention")
    return query.with_(shape=(*query.shape[:-1], width)), weights
