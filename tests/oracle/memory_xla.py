"""Asks XLA's compiler for CUDA how much memory the training step of Keras programs takes, on a machine without a GPU.

    pip install "jax[cuda12]" keras
    python memory_xla.py FILE...    one line of JSON a program: bytes of arguments, temporaries and all of it

The step of Keras on JAX is compiled for a GPU that is only described (jax.experimental.topologies). TensorFlow's own
graph of the same step, compiled the same way, has temporaries of the same size. The autotuner, which needs a device, is
off: the scratch of cuDNN is not in it. `GPU=A100` and so on choose another GPU than a T4.
"""

from __future__ import annotations

import json
import os
import sys

os.environ.update(KERAS_BACKEND="jax", JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1", CUDA_VISIBLE_DEVICES="",
                  XLA_FLAGS="--xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false")

import jax
import keras
from jax.experimental import topologies
from jax.sharding import NamedSharding, PartitionSpec

GPUS = {
    "T4": ("Tesla T4", 7, 5, 40, 64, 1024, 65536, 65536, 320064000000, 4194304, 1.59, 15843721216),
    "V100": ("Tesla V100-SXM2-16GB", 7, 0, 80, 64, 2048, 98304, 98304, 898048000000, 6291456, 1.53, 16935682048),
    "A100": ("NVIDIA A100-SXM4-40GB", 8, 0, 108, 64, 2048, 167936, 166912, 1555200000000, 41943040, 1.41, 42331013120),
    "H100": ("NVIDIA H100 80GB HBM3", 9, 0, 132, 128, 2048, 233472, 232448, 3352320000000, 52428800, 1.98,
             84929347584),
}
FIELDS = """gpu_device_info {{ threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152
 shared_memory_per_core: {6} threads_per_core_limit: {5} core_count: {3} fpus_per_core: {4}
 block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535 memory_bandwidth: {8}
 l2_cache_size: {9} clock_rate_ghz: {10} device_memory_size: {11} shared_memory_per_block_optin: {7}
 cuda_compute_capability {{ major: {1} minor: {2} }} registers_per_core_limit: 65536
 registers_per_block_limit: 65536 }}
platform_name: "CUDA" dnn_version_info {{ major: 9 minor: 8 }} runtime_version {{ major: 12 minor: 9 patch: 0 }}
device_description_str: "{0}"
"""


def device(name):
    target = topologies.get_topology_desc(platform="cuda", target_config=FIELDS.format(*GPUS[name]), topology="1x1x1")
    return NamedSharding(topologies.make_mesh(target, (1,), ("d",)), PartitionSpec())


def build(source):
    """The model and one batch of a program, whose last line calls fit()."""
    keras.utils.clear_session()
    keras.mixed_precision.set_global_policy("float32")
    *lines, last = source.rstrip().split("\n")
    names = {}
    exec("\n".join(lines), names)
    batch = int(last.rpartition("batch_size=")[2].partition(")")[0].partition(",")[0])
    return names["model"], *(jax.tree_util.tree_map(lambda each: each[:batch], names[name]) for name in "xy")


def compiled(source, where):
    model, x, y = build(source)
    model._symbolic_build(data_batch=(x, y))
    model.optimizer.build(model.trainable_variables)
    state = tuple([variable.value for variable in group] for group in (
        model.trainable_variables, model.non_trainable_variables, model.optimizer.variables, model.metrics_variables))
    state, x, y = jax.tree_util.tree_map(
        lambda each: jax.ShapeDtypeStruct(each.shape, each.dtype, sharding=where), (state, x, y))
    step = jax.jit(lambda state, x, y: model.train_step(state, (x, y)), donate_argnums=0)
    return step.lower(state, x, y).compile()


def measure(source, where):
    done = compiled(source, where)
    if os.environ.get("HLO"):
        with open(os.environ["HLO"], "w", encoding="utf-8") as file:
            file.write(done.as_text())
    told = done.memory_analysis()
    given = told.argument_size_in_bytes + told.output_size_in_bytes - told.alias_size_in_bytes
    return {"given": given, "temporary": told.temp_size_in_bytes, "total": given + told.temp_size_in_bytes}


if __name__ == "__main__":
    sharding = device(os.environ.get("GPU", "T4"))
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as program:
            print(json.dumps({"path": os.path.basename(path), **measure(program.read(), sharding)}), flush=True)
