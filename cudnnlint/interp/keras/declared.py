"""What layers of the user's declare that they give: Keras 3 asks compute_output_shape() instead of call() while a model
is built (keras/src/layers/layer.py: Layer.compute_output_spec)."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV
from cudnnlint.values import BATCH, FREE, Tensor, Unknown
from cudnnlint.values.dim import Dim, Implied, may_equal


def declared(m: Machine, instance: InstanceV, layer: LayerV, args: list[Any], kwargs: dict[str, Any], followed: Any,
             node: ast.AST) -> Any:
    """The outputs that compute_output_shape() of the user's class says, with the numbers that following call() gives
    where it leaves extents open; `followed` where it has none, or what it says is not known. Unknown where the two
    disagree: Keras believes the one as long as the layers after it do so too, and meets the other when it runs."""
    method = instance.cls.lookup("compute_output_shape")
    if m.stack.keras < (3,) or not isinstance(method, FunctionV) or method.kind != "function" \
            or isinstance(instance.cls.lookup("compute_output_spec"), FunctionV):
        return followed
    given = shapes_for(instance, method, args, kwargs)
    if given is None:
        return followed
    m.doubts += 1
    said = strip(m.call(BoundV(method, instance), [], given, node))
    made = _outputs(said, layer.policy.compute, strip(followed), args)
    if made is None:
        return followed
    pairs = zip(tensors(made), tensors(strip(followed)), strict=False)
    if not all(may_be_alike(one, other) for one, other in pairs):
        return Unknown("call() gives another shape than compute_output_shape() says")
    return made


def may_be_alike(a: Tensor, b: Tensor) -> bool:
    """Whether two shapes, as far as they are known, may be one."""
    if not (isinstance(a.shape, tuple) and isinstance(b.shape, tuple)):
        return True
    return len(a.shape) == len(b.shape) and all(map(may_equal, a.shape, b.shape))


def shapes_for(instance: InstanceV, method: FunctionV, args: list[Any],
               kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments that Keras 3 gives build() or compute_output_shape() (update_shapes_dict_for_target_fn): of several
    parameters each has the name of one of call() with "_shape"; None where they are not clear."""
    from cudnnlint.interp.keras.subclass import shape_of

    call = instance.cls.lookup("call")
    names = [arg.arg for arg in call.node.args.args[1:]] if isinstance(call, FunctionV) else []
    passed = {**dict(zip(names, args, strict=False)), **kwargs}
    shapes = {f"{name}_shape": shape_of(strip(value)) for name, value in passed.items()
              if name != "mask" and tensors(strip(value))}
    arguments = method.node.args
    wanted = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)][1:]
    if not shapes or not wanted or any(isinstance(shape, Unknown) for shape in shapes.values()):
        return None
    if len(wanted) == 1:
        first = next(held for value in passed.values() if isinstance(held := strip(value), Unknown) or tensors(held))
        return None if isinstance(first, Unknown) else {wanted[0]: next(iter(shapes.values()))}
    return {name: shapes[name] for name in wanted if name in shapes} \
        if all(name.endswith("_shape") for name in wanted) else None


def _outputs(said: Any, dtype: Any, followed: Any, args: list[Any]) -> Any:
    """Tensors of the shapes; None where one is not known."""
    if isinstance(said, dict):
        parts: Any = {key: _outputs(value, dtype, followed.get(key) if isinstance(followed, dict) else None, args)
                      for key, value in said.items()}
        return None if any(part is None for part in parts.values()) else parts
    if not isinstance(said, list | tuple):
        return None
    if not said or said[0] is None or (isinstance(said[0], int) and not isinstance(said[0], bool)):
        return _output(said, dtype, followed, args)
    alike = isinstance(followed, list | tuple) and len(followed) == len(said)
    made = [_outputs(part, dtype, followed[place] if alike else None, args) for place, part in enumerate(said)]
    return None if any(part is None for part in made) else type(said)(made)


def _output(shape: list[Any] | tuple[Any, ...], dtype: Any, followed: Any, args: list[Any]) -> Tensor | None:
    extents = [plain(extent) for extent in shape]
    if not all(extent is None or isinstance(extent, int) for extent in extents):
        return None
    own = followed.shape if isinstance(followed, Tensor) and isinstance(followed.shape, tuple) else ()
    alike = own if len(own) == len(extents) else (None,) * len(extents)
    first = next((tensor.shape[0] for tensor in tensors([strip(arg) for arg in args])
                  if isinstance(tensor.shape, tuple) and tensor.shape), BATCH)
    dims = tuple(extent if extent is not None else _open(place, alike[place], first)
                 for place, extent in enumerate(extents))
    return Tensor(dims, dtype, "tf", None, followed.step if isinstance(followed, Tensor) else None,
                  followed.assumptions if isinstance(followed, Tensor) else frozenset())


def _open(place: int, followed: Any, batch: Dim) -> Dim:
    """An extent that is declared open: a number to who follows call()."""
    if isinstance(followed, int):
        return Implied(followed)
    return BATCH if place == 0 and batch == BATCH else FREE
