"""Measures the training step of Keras programs on the CPU, with the GPU's allocator and order of execution.

    python memory_step.py FILE...    one line of JSON a program: bytes of state, input and everything alive at the peak
    OPEN=1 python memory_step.py FILE...    where the graph does not know the batch, as in fit() of arrays

TF_CPU_ALLOCATOR_USE_BFC makes CPU memory come from the allocator that a GPU has (tensorflow/core/common_runtime/
process_state.cc); inter_op_parallelism_threads=-1 runs every kernel in the thread that found it ready, first in first
out, as the executor does with the inexpensive kernels of a GPU (executor.cc: run_all_kernels_inline). The profiler
tells of each allocation. What kernels take only while they run is left out: that of the CPU is not that of a GPU.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import sys
import tempfile

os.environ.update(TF_CPU_ALLOCATOR_USE_BFC="1", TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3",
                  CUDA_VISIBLE_DEVICES="-1", KERAS_BACKEND="tensorflow")

import keras
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import rewriter_config_pb2
from tensorflow.tsl.profiler.protobuf import xplane_pb2

ALLOCATED, FREED = "MemoryAllocation", "MemoryDeallocation"


def build(source):
    """The model and one batch of a program, whose last line calls fit()."""
    keras.utils.clear_session()
    keras.mixed_precision.set_global_policy("float32")
    *lines, last = source.rstrip().split("\n")
    names = {}
    exec("\n".join(lines), names)
    batch = int(last.rpartition("batch_size=")[2].partition(")")[0].partition(",")[0])
    return names["model"], *(tf.nest.map_structure(lambda each: each[:batch], names[name]) for name in "xy")


def traced(model, x, y, build=True):
    if build and type(model).call is not keras.Model.call:  # one of several models may have none
        model(x)  # what builds itself is built
    if getattr(model, "optimizer", None) is not None:
        model.optimizer.build(model.trainable_variables)
    step = tf.function(lambda x, y: model.train_step((x, y)), jit_compile=False)
    rows = (None,) if os.environ.get("OPEN") else ()
    return step.get_concrete_function(*tf.nest.map_structure(
        lambda each: tf.TensorSpec((*rows, *each.shape[len(rows):]), each.dtype), (x, y)))


def flat(graph, held):
    """The step as a graph of its own: variables by name instead of captured handles."""
    given = graph.as_graph_def()
    made = graph_pb2.GraphDef()
    made.versions.CopyFrom(given.versions)
    made.library.CopyFrom(given.library)
    for node in given.node:
        copy = made.node.add()
        if node.name not in held:
            copy.CopyFrom(node)
            continue
        copy.name, copy.op = node.name, "VarHandleOp"
        copy.attr["dtype"].type = held[node.name].dtype.as_datatype_enum
        copy.attr["shape"].shape.CopyFrom(held[node.name].shape.as_proto())
        copy.attr["shared_name"].s, copy.attr["container"].s = node.name.encode(), b""
    return made


def session(function, roomy=False):
    """A session that runs the step in one thread, and what to run and feed in it.

    `roomy`: with memory enough. A CPU counts as a device of 256 MiB, and what comes near that grappler changes to sums
    in a variable of their own (tensorflow/core/grappler/optimizers/memory_optimizer.cc: SchedulingPass).
    """
    graph = function.graph
    variables = {id(v.handle): v for v in graph.variables}
    held = {inner.op.name: variables[id(outer)] for outer, inner in graph.captures if id(outer) in variables}
    with tf.Graph().as_default() as made:
        tf.import_graph_def(flat(graph, held), name="")
        starts = []
        for name, variable in held.items():
            given = tf.compat.v1.placeholder(variable.dtype, variable.shape)
            handle = made.get_tensor_by_name(name + ":0")
            starts.append((tf.raw_ops.AssignVariableOp(resource=handle, value=tf.identity(given)), given, variable))
    config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=-1, intra_op_parallelism_threads=2)
    if roomy:
        config.graph_options.rewrite_options.memory_optimization = rewriter_config_pb2.RewriterConfig.NO_MEM_OPT
    started = tf.compat.v1.Session(graph=made, config=config)
    started.run([start for start, _, _ in starts], {given: v.numpy() for _, given, v in starts})
    results = [made.get_tensor_by_name(t.name) for t in tf.nest.flatten(function.structured_outputs) if t is not None]
    effects = [made.get_operation_by_name(op.name) for op in graph.control_outputs]
    given = {inner.name: outer.numpy() for outer, inner in graph.captures if inner.op.name not in held}
    fed = [t.name for t in graph.inputs if t.op.name not in held and t.name not in given]
    return started, results + effects, fed, given, sum(int(np.prod(v.shape)) * v.dtype.size for v in held.values())


def allocations(run):
    """(time, kind, facts) of every allocation in one run."""
    folder = tempfile.mkdtemp()
    with tf.profiler.experimental.Profile(folder):
        run()
    space = xplane_pb2.XSpace()
    with open(glob.glob(folder + "/**/*.xplane.pb", recursive=True)[0], "rb") as file:
        space.ParseFromString(file.read())
    shutil.rmtree(folder)
    found = []
    for plane in space.planes:
        facts = {key: value.name for key, value in plane.stat_metadata.items()}
        kinds = {key: value.name for key, value in plane.event_metadata.items()}
        for line in plane.lines:
            for event in line.events:
                if kinds[event.metadata_id] in (ALLOCATED, FREED):
                    told = {facts[s.metadata_id]: facts[s.ref_value] if s.WhichOneof("value") == "ref_value"
                            else getattr(s, s.WhichOneof("value")) for s in event.stats}
                    found.append((line.timestamp_ns * 1000 + event.offset_ps, kinds[event.metadata_id], told))
    return sorted(found, key=lambda each: each[0])


def scratch(found):
    """Places in `found` of what kernels take only while they run: freed before another operation asks for memory.

    The elements of a TensorList are "temp" too, and stay.
    """
    open_, passing = {}, set()
    last = None
    for place, (_, kind, told) in enumerate(found):
        if kind == ALLOCATED:
            if told.get("tf_op") != last:
                last = told.get("tf_op")
                open_.clear()
            if told.get("region_type") == "temp":
                open_[told["addr"]] = place
        elif told.get("addr") in open_:
            passing.add(open_.pop(told["addr"]))
    return passing


def peak(found):
    """The most bytes that are requested at one time, without what kernels take only while they run, and for what."""
    live, now, most, held = {}, 0, 0, []
    passing, aside = scratch(found), set()
    for place, (_, kind, told) in enumerate(found):
        if kind == ALLOCATED and ("tf_op" not in told or place in passing):  # the former is the batch that is fed
            aside.add(told["addr"])
        elif kind == ALLOCATED:
            live[told["addr"]] = told
            now += told["requested_bytes"]
            if now > most:
                most, held = now, list(live.values())
        elif told["addr"] in aside:
            aside.remove(told["addr"])
        else:  # what was there before the step is a variable's old value
            live.pop(told["addr"], None)
            now -= told["requested_bytes"]
    return most, held


def measure(source):
    model, x, y = build(source)
    started, fetches, fed, given, state = session(traced(model, x, y), roomy=True)
    batch = tf.nest.flatten((x, y))
    feeds = {**given, **dict(zip(fed, batch, strict=True))}
    started.run(fetches, feeds)  # the first run allocates what stays
    found = allocations(lambda: started.run(fetches, feeds))
    most, held = peak(found)
    started.close()
    if os.environ.get("SHOW"):
        for told in sorted(held, key=lambda told: -told["requested_bytes"])[:int(os.environ["SHOW"])]:
            print(f"{told['requested_bytes']:12,d} {told.get('tf_op')} {told.get('shape')}", file=sys.stderr)
    if os.environ.get("EVENTS"):
        with open(os.environ["EVENTS"], "w", encoding="utf-8") as file:
            json.dump(found, file)
    fixed = sum(each.nbytes for each in batch)
    return {"state": state, "input": fixed, "dynamic": most, "total": state + fixed + most}


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            print(json.dumps({"path": os.path.basename(path), **measure(file.read())}), flush=True)
