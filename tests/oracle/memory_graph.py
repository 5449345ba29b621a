"""Writes the graphs of training steps that TensorFlow hands to XLA for a GPU, on a machine without one.

    python memory_graph.py FOLDER FILE...    FOLDER/NAME.hlo of each program, for memory_xla.py

A program is run up to its first fit(), or, if it has none, up to the first call of a tf.function with tensors: that is
the step. What it makes as it is traced for the first time (slots, metrics) is made before.
"""

from __future__ import annotations

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", KERAS_BACKEND="tensorflow")

import keras
import numpy as np
import tensorflow as tf
from tensorflow.compiler.xla.service import hlo_pb2

FUNCTION = tf.function


class Reached(Exception):
    """The step: what is called, and a batch of what it is called with."""


def is_array(value):
    return isinstance(value, (tf.Tensor, np.ndarray))


def narrow(value):
    """As Keras feeds it."""
    value = np.asarray(value)
    return value.astype("float32") if value.dtype == np.float64 else value


def fit(self, x=None, y=None, batch_size=None, **_):
    if isinstance(x, tf.data.Dataset):
        data = next(iter(x))
    else:
        data = tf.nest.map_structure(lambda each: narrow(each)[:batch_size or 32], x if y is None else (x, y))
    raise Reached(self, data)


def function(func=None, **settings):
    if func is None:
        return lambda given: function(given, **settings)

    def called(*arguments, **named):
        if any(map(is_array, tf.nest.flatten((arguments, named)))):
            raise Reached(func, (arguments, named))
        return func(*arguments, **named)
    return called


def reached(source):
    """What the program calls with each batch, and a batch."""
    keras.utils.clear_session()
    keras.mixed_precision.set_global_policy("float32")
    keras.Model.fit, tf.function = fit, function
    try:
        exec(source, {"__name__": "__main__"})
    except Reached as step:
        return step.args
    finally:
        tf.function = FUNCTION
    raise SystemExit("a program without fit() and without a step of its own")


def step_of(called, data):
    """A function of flat tensors."""
    if not isinstance(called, keras.Model):
        arrays = [each for each in tf.nest.flatten(data) if is_array(each)]

        def run(*given):
            left = iter(given)
            filled = [next(left) if is_array(each) else each for each in tf.nest.flatten(data)]
            arguments, named = tf.nest.pack_sequence_as(data, filled)
            return called(*arguments, **named)
        return run, arrays
    x = data[0] if isinstance(data, tuple) else data
    if not called.built and type(called).train_step is keras.Model.train_step:
        called(x)
    if type(called).train_step is keras.Model.train_step:
        called.optimizer.build(called.trainable_variables)
    return lambda *given: called.train_step(tf.nest.pack_sequence_as(data, given)), tf.nest.flatten(data)


def graph(source):
    run, batch = step_of(*reached(source))
    specs = [tf.TensorSpec(each.shape, each.dtype) for each in batch]
    tf.function(run).get_concrete_function(*specs)
    lowered = tf.function(run, jit_compile=True).experimental_get_compiler_ir(*specs)(stage="hlo_serialized")
    module = hlo_pb2.HloModuleProto.FromString(lowered)
    for instruction in (each for computation in module.computations for each in computation.instructions):
        if instruction.opcode == "copy":  # there to change layouts, of which none is chosen yet; StableHLO has no such
            instruction.opcode = "reshape"
    return module.SerializeToString()


if __name__ == "__main__":
    folder, *paths = sys.argv[1:]
    for path in paths:
        with open(path, encoding="utf-8") as program:
            made = graph(program.read())
        name = os.path.splitext(os.path.basename(path))[0]
        with open(os.path.join(folder, name + ".hlo"), "wb") as file:
            file.write(made)
        print(name, flush=True)
