"""What the call of a layer is given: its inputs as ops take them, apart from its other arguments."""

from __future__ import annotations

from typing import Any

from cudnnlint.values import Tensor, Unknown


def as_inputs(value: Any) -> Any:
    """Layer inputs as ops take them: numbers, texts and nested lists of either become tensors."""
    if isinstance(value, (Tensor, Unknown)):
        return value
    if isinstance(value, (list, tuple)):
        if _alike(value, (int, float)) or _alike(value, str):
            from cudnnlint.ops.functions.convert import as_tensor

            return as_tensor(list(value), "tf")
        return type(value)(as_inputs(item) for item in value)
    if isinstance(value, dict):
        return {key: as_inputs(item) for key, item in value.items()}
    if isinstance(value, (int, float, str)):
        from cudnnlint.ops.functions.convert import as_tensor

        return as_tensor(value, "tf")
    return value


def _alike(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """A list of such leaves, or of lists of them."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_alike(item, kinds) for item in value)
    return isinstance(value, kinds)


INPUT_NAMES = ("inputs", "input", "x", "sequences", "sequence", "data", "query")


def split_inputs(args: list[Any], kwargs: dict[str, Any],
                 names: tuple[str, ...] = INPUT_NAMES) -> tuple[Any, list[Any], dict[str, Any]]:
    """(inputs, other positional arguments, other keyword arguments) of a layer call; inputs may have one of `names`."""
    if args:
        return args[0], list(args[1:]), kwargs
    for name in names:
        if name in kwargs:
            return kwargs[name], [], {key: value for key, value in kwargs.items() if key != name}
    return Unknown("no inputs"), [], kwargs
