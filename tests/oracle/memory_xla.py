"""Asks XLA's compiler for CUDA how much memory training steps of TensorFlow take, on a machine without a GPU.

    pip install "jax[cuda12]"
    python memory_xla.py FILE...    one line of JSON a graph of memory_graph.py: bytes of arguments and temporaries

The graph that TensorFlow made is compiled for a GPU that is only described (jax.experimental.topologies); only the
compiler is JAX's. The autotuner, which needs a device, is off: the scratch of cuDNN is not in it; so is what makes the
machine code good, which comes after buffers are assigned. `GPU=A100` and so on choose another GPU than a T4, `HLO=FILE`
keeps the compiled text, whose buffers XLA's --xla_dump_to tells.
"""

from __future__ import annotations

import json
import os
import sys

os.environ.update(JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1", CUDA_VISIBLE_DEVICES="",
                  XLA_FLAGS="--xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false "
                            "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
                            "--xla_gpu_disable_gpuasm_optimizations=true " + os.environ.get("XLA_FLAGS", ""))

from jax._src import compiler
from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jax.experimental import topologies
from jaxlib.mlir import ir

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
    return topologies.get_topology_desc(platform="cuda", target_config=FIELDS.format(*GPUS[name]),
                                        topology="1x1x1").devices[0]


def measure(graph, where):
    with mlir.make_ir_context():
        module = ir.Module.parse(_jax.mlir.hlo_to_stablehlo(graph))
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        done = where.client.compile(module, _jax.DeviceList((where,)), options)
    if os.environ.get("HLO"):
        with open(os.environ["HLO"], "w", encoding="utf-8") as file:
            file.write(done.hlo_modules()[0].to_string())
    told = done.get_compiled_memory_stats()
    given = told.argument_size_in_bytes + told.output_size_in_bytes - told.alias_size_in_bytes
    return {"given": given, "temporary": told.temp_size_in_bytes, "total": given + told.temp_size_in_bytes}


if __name__ == "__main__":
    gpu = device(os.environ.get("GPU", "T4"))
    for path in sys.argv[1:]:
        with open(path, "rb") as program:
            print(json.dumps({"path": os.path.basename(path), **measure(program.read(), gpu)}), flush=True)
