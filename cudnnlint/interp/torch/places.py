"""Where tensors of PyTorch lie, on the CPU or on a GPU, and what meets on two devices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.functions import PLACED
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import PARAMETER
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BoundV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.origins import GPU, PLACE, TORCH_LABELS, TORCH_ROWS
from cudnnlint.values.unknown import GpuOrCpu

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

CPU = "CPU"
MOVED = "torch.moved"
"""Key of where a module was brought to its place."""
LOADER = "torch.utils.data.DataLoader"
MADE = frozenset(f"torch.{name}" for name in (
    "zeros", "ones", "empty", "full", "rand", "randn", "randint", "randperm", "arange", "linspace", "eye", "tensor",
    "as_tensor", "from_numpy", "normal"))
"""What lies on the CPU unless `device=` says otherwise (or set_default_device(), see `PLACED`)."""
MIXED = frozenset({"operator.+", "operator.-", "operator.*", "operator./", "operator.@", "torch.cat", "torch.stack",
                   "torch.matmul", "torch.bmm", "torch.add", "torch.mul", "torch.sub", "torch.masked_fill",
                   "torch.Tensor.masked_fill", "torch.where", "torch.gather", "torch.maximum", "torch.minimum"})
"""Functions of tensors that must lie on one device; a number of one element may lie on the CPU."""
COUNTED = "torch.nn.utils.rnn.pack_padded_sequence"
"""It takes its lengths on the CPU."""
NOTHING: tuple[tuple[Any, ...], dict[str, Any]] = (), {}
FAR = 200
"""How many steps back it is looked for."""


def device_of(value: Any) -> str | None:
    """The place that a device, or its name, stands for."""
    held = plain(value)
    if isinstance(held, ObjectV) and held.path == "torch.device" and held.args and not held.kwargs:
        held = plain(held.args[0])
    if isinstance(held, GpuOrCpu) or (type(held) is int and held >= 0):
        return GPU
    if isinstance(held, str):
        return CPU if held == "cpu" else GPU if held.startswith("cuda") else None
    return None


def place_of(tensor: Tensor) -> str | None:
    """Where a tensor certainly lies; of what was picked with a `GpuOrCpu` the GPU, where there is one."""
    todo, found, seen = [tensor], set[str](), set[int]()
    while todo:
        step = todo.pop().step
        if step is None or len(seen) > FAR:
            return None
        if id(step) in seen:
            continue
        seen.add(id(step))
        here = _made(step)
        if isinstance(here, str):
            found.add(here)
        elif here is None or not here:
            return None
        else:
            todo += here
        if len(found) > 1:
            return None
    return found.pop() if found else None


def _made(step: Step) -> Any:
    """A place, or the tensors that the place is that of, or None."""
    maker: Any = step.maker
    args, kwargs = step.arguments or NOTHING
    if isinstance(maker, str):
        if kwargs.get("device") is not None:
            return device_of(kwargs["device"])
        if maker == PARAMETER:
            return None
        if maker in MADE:
            return CPU
        if maker == "torch.Tensor.to":
            return device_of(args[0]) if args else step.parents
        if maker in ("torch.Tensor.cuda", "torch.Tensor.cpu"):
            return GPU if maker.endswith("cuda") else CPU
        if maker == LOADER:
            return [one for one in step.parents if not _is_row(one)] or CPU
        return _deciding(step.parents)
    if maker is None:
        return step.parents
    if isinstance(maker, LayerV) and maker.user is None:
        return maker.extra.get(PLACE) or (step.parents if maker.weights == () else None)
    return (step.body,) if isinstance(maker, (InstanceV, ModelV)) and isinstance(step.body, Tensor) else None


def _deciding(given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """A number of no axes may lie on the CPU beside tensors on a GPU, where what is computed lies too."""
    return tuple(one for one in given if one.shape != ()) or given if len(given) > 1 else given


def _is_row(tensor: Tensor) -> bool:
    """Made by a dataset, of nothing that the program follows: on the CPU."""
    step = tensor.step
    return step is None or (step.maker in (None, TORCH_LABELS, TORCH_ROWS) and not step.parents)


def _placing(tensor: Tensor) -> Step | None:
    """The step that put what a tensor was made from where it lies."""
    todo, left = [tensor], FAR
    while todo and left:
        step, left = todo.pop().step, left - 1
        here = None if step is None else _made(step)
        if isinstance(here, str):
            return step
        todo += here or ()
    return None


def _there(value: Any, place: str) -> tuple[tuple[Span, str], ...]:
    """Where a module, or what a tensor was made from, came to lie there."""
    step = None if isinstance(value, LayerV) else _placing(value)
    layer = value if step is None else step.maker
    if isinstance(layer, LayerV):
        at = layer.extra.get(MOVED)
        return ((at, f"{layer.display} to the {place}"),) if isinstance(at, Span) else ()
    return () if step is None else ((step.span, f"on the {place}"),)


def _advice(wrong: Tensor) -> str:
    """How what lies on the CPU comes to the GPU: where a function made it, that takes a device."""
    step = _placing(wrong)
    if step is not None and isinstance(step.maker, str) and step.maker in MADE - {"torch.from_numpy"}:
        return f"device= of the {step.maker} that makes it, or x = x.to(device)"
    return "x = x.to(device): the call itself changes nothing"


def watches(m: Machine) -> bool:
    return m.state.get(PLACED) is True and not (m.trying or m.handlers)


def tell_of_input(m: Machine, layer: Any, given: Any, span: Span) -> bool:
    """A module with weights on a GPU is given a tensor that lies on the CPU."""
    held = _first(layer)
    if not isinstance(held, LayerV) or not held.path.startswith("torch.nn.") or held.weights == () \
            or held.user is not None:
        return False
    if PLACE not in held.extra:
        return _tell_of_left(m, held, given, span)
    if held.extra[PLACE] != GPU:
        return False
    wrong = next((one for one in given if place_of(one) == CPU), None)
    if wrong is None:
        return False
    first = given and wrong is given[0]
    return _tell(m, span, f"{held.display} is on the GPU, {'its input' if first else 'what it is given'} on the CPU: "
                 f"{wrong}", wrong, held.display,
                 'RuntimeError "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the '
                 'same", "Input and hidden tensors are not at the same device" or "Expected all tensors to be on the '
                 'same device, but found at least two devices, cuda:0 and cpu!"', there=_there(held, GPU))


MOVERS = re.compile(r"Parameter(List|Dict)\(|[Ll]ightning|[Aa]ccelerat|[Ff]abric|deepspeed|Trainer\b|\.prepare\(|"
                    r"_apply\b|initialize\(")
"""What a program says that has others bring its modules to a GPU, or hands on their parameters by themselves."""


def _tell_of_left(m: Machine, held: LayerV, given: Any, span: Span) -> bool:
    """A module with weights that nothing ever moved is given a tensor that lies on a GPU, where others are."""
    if m.uncalled or held.arguments.get("device") is not None or not held.weights \
            or isinstance(held.weights, Unknown) or any(
                frame.module.source is not None and MOVERS.search(frame.module.source.text) for frame in m.frames):
        return False
    wrong = next((one for one in given if place_of(one) == GPU), None)
    return wrong is not None and _tell(
        m, span, f"{held.display} is on the CPU, {'its input' if wrong is given[0] else 'what it is given'} on the "
        f"GPU: {wrong}", wrong, held.display,
        'RuntimeError "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same" or '
        '"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"',
        help="move it with model.to(device), which finds modules in attributes, nn.ModuleList and nn.ModuleDict, not "
        "in plain lists or dicts", there=_there(wrong, GPU))


def _first(module: Any) -> Any:
    """The layer with weights that what goes in comes to first, through those of a nn.Sequential that have none."""
    held = plain(module)
    if not isinstance(held, ModelV) or held.kind != "sequential":
        return held
    parts = () if held.layers.unknown else held.layers.items
    return next((part for part in map(_first, parts) if not isinstance(part, LayerV) or part.weights != ()), None)


def tell_of_both(m: Machine, name: str, given: list[Tensor], span: Span, *, numbers: bool = False) -> bool:
    """Tensors that meet in a loss or a function, one on a GPU and one on the CPU.

    numbers  one without axes may lie on the CPU
    """
    places = [place_of(one) for one in given]
    if GPU not in places or CPU not in places:
        return False
    wrong, other = given[places.index(CPU)], given[places.index(GPU)]
    if numbers and (wrong.rank is None or wrong.rank == 0):
        return False
    return _tell(m, span, f"{wrong} on the CPU meets {other} on the GPU in {name}", wrong, name,
                 'RuntimeError "expected self and mask to be on the same device"' if name.endswith("masked_fill") else
                 'RuntimeError "Expected all tensors to be on the same device, but found at least two devices, cuda:0 '
                 'and cpu!"', there=_there(other, GPU))


def tell_of_lengths(m: Machine, lengths: Any, span: Span) -> bool:
    """Lengths of sequences on the GPU (torch/nn/utils/rnn.py: pack_padded_sequence; since PyTorch 1.7)."""
    held = plain(lengths)
    if not isinstance(held, Tensor) or place_of(held) != GPU:
        return False
    return _tell(m, span, f"the lengths {held} of pack_padded_sequence are on the GPU", held, "pack_padded_sequence",
                 'RuntimeError "\'lengths\' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor"',
                 help="lengths.cpu()")


def tell_of_array_on_gpu(m: Machine, tensor: Tensor, span: Span) -> bool:
    """`x.numpy()` of what lies on the GPU (torch/csrc/utils/tensor_numpy.cpp)."""
    return watches(m) and place_of(tensor) == GPU and _tell(
        m, span, f"numpy() of {tensor} on the GPU", tensor, "numpy()",
        'TypeError "can\'t convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host '
        'memory first."', help="x.cpu().numpy()")


def _tell(m: Machine, span: Span, message: str, wrong: Tensor, what: str, error: str, *, help: str = "",
          there: tuple[tuple[Span, str], ...] = ()) -> bool:
    """`there` is where the other one came to lie where it does."""
    return refuse(m, span, Mismatch(Problem.DEVICES, message, help=help or _advice(wrong), error=error,
                                    facts=(("origins", there),)), about=(wrong,), what=what, inputs=wrong)


def put(m: Machine, parts: list[Any], place: str | None, at: Span | None = None) -> None:
    """The modules `parts` are there from now on, moved by the call `at`; where the program may not come here, that is
    not known."""
    for held in parts:
        layer = held.extra if isinstance(held, InstanceV) else held
        if isinstance(layer, LayerV):
            layer.extra[PLACE] = None if m.uncertain else place
            layer.extra[MOVED] = at
        if isinstance(held, InstanceV):
            _move_own(m, held, place)
    if place == GPU and not m.uncertain:
        m.state.setdefault(PLACED, True)


BUFFERS = "torch.buffers"
"""Key of the names that a module registers as buffers; None among them stands for any."""
MODULE = "torch.nn.Module"


def buffers_of(layer: LayerV) -> set[Any]:
    """The names that are registered so far; of paths that differ, any."""
    known = layer.extra.get(BUFFERS)
    return set() if known is None else known if isinstance(known, set) else {None}


def _move_own(m: Machine, module: InstanceV, place: str | None) -> None:
    """Buffers go with their module, other tensors that it holds stay where they are: which is which is not followed
    where a class of another library stands between (torch/nn/modules/module.py: Module._apply)."""
    from cudnnlint.interp.attributes import method_of

    layer = module.extra
    followed = isinstance(layer, LayerV) and place == GPU and not m.uncertain \
        and module.cls.external_base() == MODULE and not isinstance(method_of(module, "_apply"), BoundV)
    names = buffers_of(layer) if isinstance(layer, LayerV) else {None}
    for name, value in list(module.items.items()):
        tensor = plain(value)
        if not isinstance(tensor, Tensor) or tensor.step is None or tensor.step.maker == PARAMETER:
            continue
        moves = name in names or tensor.step.maker == "torch.nn.Buffer"
        if followed and not moves and None not in names:
            continue
        where = "cuda" if followed and moves else Unknown("a buffer, or none")
        step = Step(tensor.step.span, (tensor,), "torch.Tensor.to", ((where,), {}))
        m.set_item(module, name, tensor.with_(content=tensor.content, step=step))
