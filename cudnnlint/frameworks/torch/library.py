"""PyTorch, under all its names; its handlers are in `_torch`."""

from __future__ import annotations

import math

from cudnnlint.interp.registry import Framework

_FILES = ("activation", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout", "flatten", "fold",
          "instancenorm", "linear", "loss", "module", "normalization", "padding", "pixelshuffle", "pooling", "rnn",
          "sparse", "transformer", "upsampling")

TUPLES = ("to_1tuple", "to_2tuple", "to_3tuple", "to_4tuple", "to_ntuple")

FRAMEWORK = Framework(
    "torch", roots=("torch", "torchvision", "lightning", "pytorch_lightning", "timm"),
    prefixes={
        **{f"torch.nn.modules.{name}": "torch.nn" for name in _FILES}, "torch.nn.modules": "torch.nn",
        "torch.jit.ScriptModule": "torch.nn.ScriptModule",
        **{f"einops.layers.torch.{name}": f"torch.nn.{name}" for name in ("Rearrange", "Reduce")},
        **{f"{room}.LightningModule": "torch.nn.LightningModule" for room in (
            "pytorch_lightning", "pytorch_lightning.core", "lightning", "lightning.pytorch")},
        **{f"{room}.LightningDataModule": "lightning.LightningDataModule" for room in (
            "pytorch_lightning", "pytorch_lightning.core", "lightning.pytorch", "lightning.pytorch.core")},
        **{f"{room}.Trainer": "lightning.Trainer" for room in (
            "pytorch_lightning", "lightning.pytorch", "pytorch_lightning.trainer", "lightning.pytorch.trainer")},
        **{f"{room}.DropPath": "torch.nn.DropPath" for room in ("timm.layers", "timm.layers.drop")},
        **{f"{room}.trunc_normal_": "torch.nn.init.trunc_normal_" for room in (
            "timm.layers", "timm.layers.weight_init")},
        **{f"timm.layers.helpers.{name}": f"timm.layers.{name}" for name in TUPLES},
        "timm.models.layers": "timm.layers",
        "torch.nn.parameter.Parameter": "torch.nn.Parameter", "torch.nn.parameter": "torch.nn",
        "torchvision.transforms.transforms": "torchvision.transforms",
        "torchvision.transforms.v2": "torchvision.transforms",
        "torch.utils.data.dataloader": "torch.utils.data", "torch.utils.data.dataset": "torch.utils.data",
        **{f"torch.distributions.{room}": "torch.distributions" for room in (
            "categorical", "normal", "bernoulli", "laplace", "uniform", "beta", "gamma", "log_normal", "cauchy")},
        "torch.autograd.grad_mode": "torch", "torch.autograd.no_grad": "torch.no_grad",
        "torch.cuda.amp.autocast": "torch.autocast", "torch.amp.autocast": "torch.autocast",
        **{f"torch.{room}GradScaler": "torch.amp.GradScaler" for room in (
            "", "cuda.amp.", "cuda.amp.grad_scaler.", "amp.grad_scaler.")},
        "torch.amp.autocast_mode.autocast": "torch.autocast", "torch.special.expit": "torch.sigmoid",
        **{f"torch.{name}_": f"torch.{name}" for name in (
            "relu", "sigmoid", "tanh", "exp", "sqrt", "square", "abs", "neg", "clamp", "log")},
        **{f"torch.nn.functional.{name}_": f"torch.nn.functional.{name}" for name in (
            "relu", "leaky_relu", "elu", "celu", "selu", "hardtanh", "threshold")},
        "torch.special.softmax": "torch.softmax", "torch.nn.functional.upsample": "torch.nn.functional.interpolate",
    },
    parents={
        "torch.nn.LightningModule": "torch.nn.Module",
        "torch.nn.Parameter": "torch.Tensor", "torch.nn.ReLU6": "torch.nn.Hardtanh",
        "torch.nn.NLLLoss2d": "torch.nn.NLLLoss", "torch.nn.LazyLinear": "torch.nn.Linear",
        **{f"torch.nn.Upsampling{mode}2d": "torch.nn.Upsample" for mode in ("Bilinear", "Nearest")},
        **{f"torch.nn.ZeroPad{n}d": f"torch.nn.ConstantPad{n}d" for n in (1, 2, 3)},
        **{f"torch.nn.Lazy{kind}{n}d": f"torch.nn.{kind}{n}d" for n in (1, 2, 3)
           for kind in ("BatchNorm", "Conv", "ConvTranspose", "InstanceNorm")},
    },
)

for _name, _dtype in {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32",
                      "short": "int16", "char": "int8", "byte": "uint8", "cfloat": "complex64",
                      "cdouble": "complex128"}.items():
    FRAMEWORK.constant(f"torch.{_name}", _dtype)

for _name in ("pi", "e", "inf", "nan"):
    FRAMEWORK.constant(f"torch.{_name}", getattr(math, _name))
FRAMEWORK.constant("torch.newaxis", None)
