"""TensorFlow beside Keras: control flow and the old names of its functions."""

from __future__ import annotations

from typing import Any

from cudnnlint.facts.inner_rooms import ROOMS, WITHIN
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.convert import strip
from cudnnlint.interp.devices import EAGER, runtime
from cudnnlint.interp.expressions import fork_values
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.graphs.placeholders import NUMPY_OF_TENSORFLOW
from cudnnlint.interp.graphs.sessions import IN_GRAPH
from cudnnlint.interp.graphs.tracing import COMPILING, as_traced
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.objects import BoundV, BuiltinV, FunctionV, PartialV
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.ops.functions.dtypes import as_dtype as dtype_of
from cudnnlint.values import Tensor, Unknown

FRAMEWORK = Framework("tensorflow", roots=("tensorflow",), prefixes={
    "tensorflow.compat.v1": "tensorflow", "tensorflow.compat.v2": "tensorflow", "tensorflow._api.v2": "tensorflow",
    "tensorflow.compat.v1.where": "tensorflow.v1.where", "tensorflow.python.framework.ops": "tensorflow",
    "tensorflow.experimental.numpy": "numpy",
    **{f"{WITHIN}.{room}": f"tensorflow{public}" for room, public in ROOMS.items()},
    "tensorflow.python.ops.init_ops": "keras.initializers", "tensorflow.python.ops.init_ops_v2": "keras.initializers",
    "tensorflow.python.ops.gen_math_ops.mat_mul": "tensorflow.matmul",
    "tensorflow.python.framework.dtypes": "tensorflow", "tensorflow.python.framework.constant_op": "tensorflow",
    "tensorflow.python.framework.tensor_shape": "tensorflow",
})


@FRAMEWORK.on("tensorflow.function")
def function(c: Call) -> Any:
    """tf.function(f) and tf.function(...)(f): the function itself, which is traced when it is called."""
    told = (frozenset(c.kwargs), next((plain(c.kwargs[name]) for name in COMPILING if name in c.kwargs), None),
            c.kwargs.get("input_signature"))
    if c.args or "func" in c.kwargs:
        return as_traced(c.machine, c.get(0, "func"), c.span, *told)
    return BuiltinV("tf.function", lambda inner: as_traced(c.machine, inner.args[0], c.span, *told)
                    if inner.args else Unknown("tf.function"))


@FRAMEWORK.on("tensorflow.custom_gradient", "keras.ops.custom_gradient")
def own_gradient(c: Call) -> Any:
    """tf.custom_gradient(f): what f gives first (tensorflow/python/ops/custom_gradient.py: custom_gradient)."""
    function = c.args[0] if c.args else Unknown("a function with a gradient of its own")
    if isinstance(function, FunctionV):
        function.node.cudnnlint_gradient = True  # type: ignore[union-attr]
    return function


@FRAMEWORK.on("tensorflow.autograph.experimental.do_not_convert", "tensorflow.recompute_grad")
def same_function(c: Call) -> Any:
    return c.args[0] if c.args else BuiltinV("decorator", lambda inner: inner.args[0] if inner.args else Unknown())


@FRAMEWORK.on("tensorflow.cond", "keras.ops.cond", "keras.backend.switch", "tensorflow.smart_cond")
def cond(c: Call) -> Any:
    """Only the branch taken runs when the condition is known; both are joined when it is not."""
    m = c.machine
    test = c.get(0, "pred")
    on_true, on_false = c.get(1, "true_fn"), c.get(2, "false_fn")

    def run(branch: Any) -> Any:
        held = plain(branch)
        return held if isinstance(held, Tensor | Unknown) or held is None else m.call(branch, [], {}, c.node)

    verdict = truth(test)
    if verdict is not None:
        return run(on_true if verdict else on_false)
    held = plain(test)
    return fork_values(m, [lambda: run(on_true), lambda: run(on_false)],
                       held.shape if isinstance(held, Tensor) and held.rank is None else held)


@FRAMEWORK.on("keras.backend.in_train_phase", "keras.backend.in_test_phase")
def in_phase(c: Call) -> Any:
    """One for training and one for the rest, tensors or functions that give them."""
    ways = [lambda held=held: c.machine.call(held, [], {}, c.node) if _is_function(held) else held
            for held in (plain(c.get(0, "x")), plain(c.get(1, "alt")))]
    return fork_values(c.machine, ways, Unknown("training"))


@FRAMEWORK.on("keras.backend.batch_dot")
def batch_dot(c: Call) -> Any:
    """Of more than three axes, Keras 2.3 and the tf.keras of TensorFlow 2.2 made another product than those before:
    what may run on either is not known."""
    ranks = [value.rank for value in (plain(c.get(0, "x")), plain(c.get(1, "y"))) if isinstance(value, Tensor)]
    stacks = (c.machine.stack, *c.machine.stack.before)
    if any(stack.keras < (2, 3) or stack.tensorflow < (2, 2) for stack in stacks) \
            and max((rank or 0 for rank in ranks), default=0) > 3:
        return Unknown("batch_dot of more than three axes, which was another product once")
    return apply_function(c.machine, "keras.backend.batch_dot", c.args, c.kwargs, c.node)


def _is_function(held: Any) -> bool:
    return isinstance(held, FunctionV | BoundV | PartialV | BuiltinV)


@FRAMEWORK.on("tensorflow.test.is_gpu_available")
def environment(c: Call) -> Any:
    return Unknown("the machine it runs on")


@FRAMEWORK.on("tensorflow.executing_eagerly", "tensorflow.python.eager.context.executing_eagerly")
def executing_eagerly(c: Call) -> Any:
    """Not in a graph, which a tf.function and a layer on symbolic inputs build; what fit() does its caller says."""
    m = c.machine
    if m.tracing or m.symbolic:
        return False
    graphs = m.stack.tensorflow < (2,) or isinstance(runtime(m).items.get(EAGER), Unknown)
    return Unknown(IN_GRAPH) if graphs or m.uncalled or m.any_batch else True


@FRAMEWORK.on("tensorflow.python.ops.numpy_ops.np_config.enable_numpy_behavior")
def enable_numpy_behavior(c: Call) -> None:
    """Tensors get the methods of NumPy's arrays (tensorflow/python/ops/numpy_ops/np_config.py)."""
    c.machine.state[NUMPY_OF_TENSORFLOW] = True


@FRAMEWORK.on("tensorflow.TensorShape")
def tensor_shape(c: Call) -> Any:
    found = elements(c.machine, c.get(0, "dims", ()))
    return found if isinstance(found, Unknown) else tuple(found)


@FRAMEWORK.on("tensorflow.as_dtype", "tensorflow.dtypes.as_dtype")
def as_dtype(c: Call) -> Any:
    """Dtypes are their names."""
    return assume(dtype_of(strip(c.get(0, "type_value")), Unknown("a dtype")), assumptions_of(c.get(0, "type_value")))


@FRAMEWORK.on("tensorflow.Dimension")
def dimension(c: Call) -> Any:
    return c.get(0, "value")
