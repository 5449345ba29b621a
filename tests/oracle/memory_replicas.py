"""Measures what one of two replicas takes: memory_step.py, with an operation of one replica in place of the collective.

    python memory_replicas.py FILE...

The gradients are packed and unpacked by the operations that tf.distribute records (cross_device_utils.py:
batch_all_reduce, all_reduce_indexed_slices). A negation stands for the sum over the replicas: it too may write into
its operand (collective_ops.cc: CollectiveReduceV2OpKernel), and needs nobody else.
"""

from __future__ import annotations

import json
import os
import sys

from memory_step import measure  # sets what TensorFlow reads as it is loaded

# isort: split
import tensorflow as tf
from keras.src.backend.tensorflow.optimizer import TFOptimizer

REPLICAS = 2


def reduced(self, grads_and_vars):
    grads, variables = zip(*grads_and_vars, strict=True)
    dense = [grad for grad in grads if not isinstance(grad, tf.IndexedSlices)][::-1]
    pack = tf.negative(tf.concat([tf.reshape(grad, [-1]) for grad in dense], axis=0))
    parts = tf.split(pack, [grad.shape.num_elements() for grad in dense])
    made = iter([tf.reshape(part, grad.shape) for part, grad in zip(parts, dense, strict=True)][::-1])
    return [(gathered(grad) if isinstance(grad, tf.IndexedSlices) else next(made), variable)
            for grad, variable in zip(grads, variables, strict=True)]


def gathered(rows):
    return tf.IndexedSlices(*(tf.concat([each] * REPLICAS, axis=0) for each in (rows.values, rows.indices)),
                            dense_shape=rows.dense_shape)


if __name__ == "__main__":
    TFOptimizer._all_reduce_sum_gradients = reduced
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            print(json.dumps({"path": os.path.basename(path), **measure(file.read())}), flush=True)
