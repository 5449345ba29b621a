"""What the functions of keras.applications refuse, and the input shape that they settle on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import as_shape
from cudnnlint.records import record
from cudnnlint.values import FREE, Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown
from cudnnlint.values.dim import may_equal

IMAGENET = "imagenet"
SIZES = {"mobilenet": (128, 160, 192, 224), "mobilenet_v2": (96, 128, 160, 192, 224)}
"""Square inputs for which there are imagenet weights; for others those of 224 are taken."""
ALPHAS = {"mobilenet": (0.25, 0.5, 0.75, 1.0), "mobilenet_v2": (0.35, 0.5, 0.75, 1.0, 1.3, 1.4),
          "mobilenet_v3": (0.75, 1.0)}
FIRST_KERNEL = frozenset({"densenet", "inception_resnet_v2", "inception_v3", "mobilenet", "mobilenet_v2", "nasnet",
                          "resnet", "resnet_v2", "vgg16", "vgg19", "xception"})
"""Modules whose models feed the input's channels to a kernel without preprocessing layers."""


@record(frozen=True, slots=True)
class Request:
    """A call as bound: `values` by parameter name, raw; `record` is what is known of the model."""

    module: str
    model: str
    values: Mapping[str, Any]
    record: Mapping[str, Any]
    stack: Stack

    @property
    def top(self) -> bool | Unknown:
        value = self.values.get("include_top", True)
        return value if isinstance(value, Unknown) else bool(value)

    @property
    def pretrained(self) -> bool | Unknown:
        value = self.values.get("weights")
        return value if isinstance(value, Unknown) else value == IMAGENET

    def both(self) -> bool:
        """imagenet weights and the classifier, for certain."""
        return self.pretrained is True and self.top is True


def refused(request: Request, name: str, message: str, help_: str, error: str,
            problem: Problem = Problem.INVALID_ARGUMENT) -> Mismatch:
    return Mismatch(problem, f"{request.model}: {message}", argument=name, help=help_, error=error)


def problems(request: Request) -> Iterator[Mismatch]:
    """What is refused whatever the input shape."""
    values = request.values
    weights, classes = values.get("weights"), values.get("classes")
    if isinstance(weights, str) and weights != IMAGENET and not any(mark in weights for mark in "./\\") \
            and request.module != "resnet_rs":
        yield refused(request, "weights", f"weights is {show(weights)}",
                      'write "imagenet", None, or the path of a file',
                      'ValueError "The `weights` argument should be either `None` (random initialization), `imagenet` '
                      '(pre-training on ImageNet), or the path to the weights file to be loaded"')
    if request.both() and isinstance(classes, int) and classes != 1000:
        yield refused(request, "classes", f'classes is {classes}, with weights="imagenet" and include_top=True it must '
                                          "be 1000",
                      "take include_top=False and put your own Dense layer on top, or weights=None",
                      'ValueError "If using `weights="imagenet"` with `include_top=True`, `classes` should be 1000"')
    if request.both() and isinstance(activation := values.get("classifier_activation"), str) \
            and activation not in ("softmax", "linear"):
        yield refused(request, "classifier_activation", f"classifier_activation is {show(activation)}, with pretrained "
                                                        "weights it must be None or \"softmax\"",
                      "take include_top=False and put your own Dense layer on top",
                      'ValueError "Only `None` and `softmax` activations are allowed for the `classifier_activation` '
                      'argument when using pretrained weights, with `include_top=True`"')
    if request.pretrained is True:
        yield from _widths(request)
    yield from _named(request)


def _widths(request: Request) -> Iterator[Mismatch]:
    alphas, alpha = ALPHAS.get(request.module), request.values.get("alpha")
    if alphas and request.values.get("minimalistic") is True:
        alphas = (1.0,)
    if alphas and isinstance(alpha, int | float) and alpha not in alphas \
            and not isinstance(request.values.get("minimalistic"), Unknown):
        choices = ", ".join(map(str, alphas))
        yield refused(request, "alpha", f"alpha is {alpha}, there are imagenet weights for {choices}",
                      f"take one of {choices}, or weights=None",
                      'ValueError "If imagenet weights are being loaded, alpha can be one of ..."')
    depth = request.values.get("depth_multiplier", 1)
    if isinstance(depth, int) and depth != 1:
        yield refused(request, "depth_multiplier", f"depth_multiplier is {depth}, there are imagenet weights for 1",
                      "leave it at 1, or take weights=None",
                      'ValueError "If imagenet weights are being loaded, depth multiplier must be 1"')


def _named(request: Request) -> Iterator[Mismatch]:
    """Two families look their name up (keras/src/applications/efficientnet_v2.py, convnext.py)."""
    name, default = request.values.get("name"), str(request.record["name"])
    if not isinstance(name, str) or request.stack.keras < (3, 4):
        return
    if request.module == "efficientnet_v2" and not name.startswith("efficientnetv2-"):
        yield refused(request, "name", f"name is {show(name)}, by which its blocks are looked up", "leave name out",
                      f"KeyError {name!r}")
    if request.module == "convnext" and request.pretrained is True and default not in name \
            and request.stack.keras >= (3, 9):
        yield refused(request, "name", f'name is {show(name)}, with weights="imagenet" it must contain "{default}"',
                      f'write name="{default}_..."',
                      f'ValueError "Model name "{name}" does not match weights variant "{default}""')


def settled(request: Request) -> Shape | Unknown | Mismatch:
    """The shape of one input (keras/src/applications/imagenet_utils.py: obtain_input_shape)."""
    given = request.values.get("input_shape")
    if isinstance(given, Unknown):
        return (Unknown("input_shape"), Unknown("input_shape"), 3 if request.pretrained is True else given)
    if "default" not in request.record:
        return _unchecked(request, given)
    if given is None and request.model == "NASNetMobile" and request.top is False and request.stack.keras >= (3,):
        return (224, 224, 3)
    shape = _shape(given)
    if shape is not None and len(shape) != 3:
        return refused(request, "input_shape", f"input_shape is {show(given)}, it must have three extents",
                       "write (height, width, channels), without the batch",
                       'ValueError "`input_shape` must be a tuple of three integers"')
    if isinstance(request.top, Unknown):
        return shape or Unknown("include_top is not known")
    if request.both():
        return _default(request, given, shape)
    wrong = _wrong(request, shape) if shape else None
    if wrong is not None:
        return wrong
    size = int(request.record["default"])
    if shape:
        return shape
    return (size, size, 3) if request.top else (FREE, FREE, 3)


def _shape(given: Any) -> Shape | None:
    shape = as_shape(given) if isinstance(given, tuple | list) and given else None
    return shape if isinstance(shape, tuple) else None


def _default(request: Request, given: Any, shape: Shape | None) -> Shape | Mismatch:
    """With the classifier's weights the input is the one that they were trained for."""
    size = int(request.record["default"])
    if shape and shape[0] == shape[1] and shape[0] in SIZES.get(request.module, ()):
        size = int(str(shape[0]))
    wanted = (size, size, 3)
    if shape is None or (isinstance(given, tuple) and all(map(may_equal, shape, wanted))
                         and not any(isinstance(dim, Symbol) for dim in shape)):
        return wanted
    return refused(request, "input_shape", f'input_shape is {_python(given, shape)}, with weights="imagenet" and '
                                           f"include_top=True it must be {wanted}",
                   "take include_top=False, or leave input_shape out",
                   f'ValueError "When setting `include_top=True` and loading `imagenet` weights, `input_shape` should '
                   f'be {wanted}"')


def _wrong(request: Request, shape: Shape) -> Mismatch | None:
    text = _python(shape, shape)
    if request.pretrained is True and isinstance(shape[2], int | Symbol) and shape[2] != 3:
        return refused(request, "input_shape", f"input_shape is {text}, imagenet weights need 3 channels",
                       "repeat a single channel three times (tf.image.grayscale_to_rgb), or take weights=None",
                       f'ValueError "The input must have 3 channels; Received `input_shape={text}`"')
    if (small := too_small(request, shape, int(request.record["min"]))) is not None:
        return small
    open_ = any(isinstance(dim, Symbol) for dim in shape)
    if request.pretrained is True and request.module == "nasnet" and open_:
        return refused(request, "input_shape", f"input_shape is {text}, with imagenet weights it must be static",
                       "write the height and width", 'ValueError "When specifying the input shape of a NASNet and '
                                                     'loading `ImageNet` weights, the input_shape argument must be '
                                                     'static (no None entries)"')
    if request.top is True and open_:
        return refused(request, "input_shape", f"input_shape is {text}, with include_top=True it must be static",
                       "write the height and width, or take include_top=False",
                       'ValueError "If `include_top` is True, you should specify a static `input_shape`"')
    return None


def too_small(request: Request, shape: Shape, least: int) -> Mismatch | None:
    if not any(isinstance(dim, int) and dim < least for dim in shape[:2]):
        return None
    text = _python(shape, shape)
    return refused(request, "input_shape", f"input_shape is {text}, the least is {least}x{least}",
                   f"enlarge the images to {least}x{least} at least",
                   f'ValueError "Input size must be at least {least}x{least}; Received: input_shape={text}"',
                   Problem.INPUT_TOO_SMALL)


def _python(given: Any, shape: Shape) -> str:
    text = ", ".join("None" if isinstance(dim, Symbol) else str(dim) for dim in shape)
    return f"[{text}]" if isinstance(given, list) else f"({text})"


def _unchecked(request: Request, given: Any) -> Shape | Unknown | Mismatch:
    """keras/src/applications/mobilenet_v3.py: MobileNetV3 looks at height and width only."""
    tensor = request.values.get("input_tensor")
    shape = _shape(given)
    if given is None and isinstance(tensor, Tensor) and isinstance(tensor.shape, tuple) and len(tensor.shape) == 4:
        shape = (tensor.shape[2], tensor.shape[1], 3)
    if shape is None:
        return (FREE, FREE, 3) if given is None else Unknown("input_shape of another kind")
    if len(shape) != 3:
        return Unknown("input_shape of another rank")
    return too_small(request, shape, 32) or shape


def clash(request: Request, tensor: Tensor) -> Mismatch | None:
    """An input_tensor that its weights, or its input_shape, do not fit."""
    if not isinstance(tensor.shape, tuple) or len(tensor.shape) != 4:
        return None
    channels, shape = tensor.shape[3], _shape(request.values.get("input_shape"))
    if request.pretrained is True and request.module in FIRST_KERNEL and isinstance(channels, int) and channels != 3:
        return refused(request, "input_tensor", f"input_tensor has {channels} channel{'s' * (channels != 1)}, imagenet "
                                                "weights need 3",
                       "repeat a single channel three times (tf.image.grayscale_to_rgb), or take weights=None",
                       'ValueError "Shape mismatch" as the weights are loaded')
    if request.module in ("mobilenet_v2", "mobilenet_v3") and shape and len(shape) == 3 \
            and not may_equal(tensor.shape[2], shape[1]):
        return refused(request, "input_shape", f"input_shape is {_python(shape, shape)}, input_tensor is {tensor}",
                       "leave input_shape out", 'ValueError "input_tensor.shape[2] must equal input_shape[1]"')
    return None
