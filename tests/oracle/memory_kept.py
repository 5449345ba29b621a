"""A training step on disk: written by one process, run by another in which nothing else is alive.

What built and traced a model holds its variables too, and TensorFlow's allocator counts both. `python memory_kept.py
FOLDER` runs the steps and ends with 9 where memory runs out; TF_CPU_BFC_MEM_LIMIT_IN_MB limits it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

OUT_OF_MEMORY = 9
STEPS = 2


def keep(folder, function, batch, steps=STEPS):
    """Write the step, the values of its variables, what it is fed, and how often it is to run."""
    import numpy as np
    import tensorflow as tf

    from tests.oracle.memory_step import flat

    graph = function.graph
    variables = {id(v.handle): v for v in graph.variables}
    held = {inner.op.name: variables[id(outer)] for outer, inner in graph.captures if id(outer) in variables}
    given = {inner.name: outer.numpy() for outer, inner in graph.captures if inner.op.name not in held}
    fed = [t.name for t in graph.inputs if t.op.name not in held and t.name not in given]
    results = [t.name for t in tf.nest.flatten(function.structured_outputs) if t is not None]
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    (folder / "graph.pb").write_bytes(flat(graph, held).SerializeToString())
    fetched = [*results, *(op.name for op in graph.control_outputs)]
    names = {"variables": list(held), "fed": [*given, *fed], "fetched": fetched, "steps": steps}
    (folder / "names.json").write_text(json.dumps(names))
    np.savez(folder / "values.npz", *(v.numpy() for v in held.values()))
    np.savez(folder / "fed.npz", *given.values(), *batch)


def read(path):
    import numpy as np

    with np.load(path) as kept:
        return [kept[name] for name in sorted(kept.files, key=lambda name: int(name[4:]))]


def started(folder):
    """A session that runs every kernel in one thread, its variables assigned, what to fetch and feed, and how often."""
    import tensorflow as tf
    from tensorflow.core.framework import graph_pb2

    names = json.loads((folder / "names.json").read_text())
    graph = graph_pb2.GraphDef.FromString((folder / "graph.pb").read_bytes())
    values = read(folder / "values.npz")
    with tf.Graph().as_default() as made:
        tf.import_graph_def(graph, name="")
        givens = [tf.compat.v1.placeholder(value.dtype, value.shape) for value in values]
        # a copy: what is fed is memory of NumPy, which the allocator does not count
        starts = [tf.raw_ops.AssignVariableOp(resource=made.get_tensor_by_name(name + ":0"),
                                              value=tf.raw_ops.DeepCopy(x=given))
                  for name, given in zip(names["variables"], givens, strict=True)]
    config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=-1, intra_op_parallelism_threads=2)
    session = tf.compat.v1.Session(graph=made, config=config)
    for start, given, value in zip(starts, givens, values, strict=True):
        session.run(start, {given: value})
    fetched = [made.as_graph_element(name) for name in names["fetched"]]
    return session, fetched, dict(zip(names["fed"], read(folder / "fed.npz"), strict=True)), names["steps"]


def main(folder):
    os.environ.update(TF_CPU_ALLOCATOR_USE_BFC="1", TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3",
                      CUDA_VISIBLE_DEVICES="-1")
    import tensorflow as tf

    try:
        session, fetched, fed, steps = started(Path(folder))
        for _ in range(steps):
            session.run(fetched, fed)
    except tf.errors.ResourceExhaustedError as error:
        print(next((line for line in str(error).splitlines() if "OOM" in line), error), file=sys.stderr)
        sys.exit(OUT_OF_MEMORY)


if __name__ == "__main__":
    main(sys.argv[1])
