"""Functions of libraries that are called for what they do, and give None."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.registry import Call

NUMPY = ("random.seed random.set_state savetxt set_printoptions seterr testing.assert_ "
         "testing.assert_allclose testing.assert_almost_equal testing.assert_approx_equal "
         "testing.assert_array_almost_equal testing.assert_array_equal testing.assert_array_less testing.assert_equal")
TENSORFLOW = """
    random.set_seed set_random_seed random.set_random_seed print debugging.enable_check_numerics
    debugging.disable_check_numerics debugging.set_log_device_placement debugging.disable_traceback_filtering
    debugging.enable_traceback_filtering config.set_soft_device_placement config.experimental_connect_to_cluster
    config.experimental_connect_to_host tpu.experimental.initialize_tpu_system saved_model.save
    summary.trace_on summary.trace_off summary.trace_export summary.flush
    io.write_file io.write_graph io.gfile.copy io.gfile.makedirs io.gfile.mkdir io.gfile.remove io.gfile.rename
    io.gfile.rmtree gfile.MakeDirs gfile.MkDir gfile.Remove gfile.DeleteRecursively gfile.Copy
    logging.info logging.debug logging.warning logging.warn logging.error logging.fatal logging.set_verbosity
    autograph.set_verbosity nest.assert_same_structure enable_v2_behavior enable_resource_variables
    disable_resource_variables add_to_collection disable_control_flow_v2 enable_control_flow_v2
    register_tensor_conversion_function test.main
"""
ASSERTIONS = ("equal", "greater", "greater_equal", "integer", "less", "less_equal", "near", "negative", "non_negative",
              "non_positive", "none_equal", "positive", "proper_iterable", "rank", "rank_at_least", "rank_in",
              "same_float_dtype", "scalar", "shapes", "type")
"""tf.debugging.assert_... (tensorflow/python/ops/check_ops.py), which in a graph are operations."""
KERAS = """
    backend.set_value backend.batch_set_value backend.set_learning_phase backend.reset_uids
    backend.manual_variable_initialization config.disable_traceback_filtering config.enable_traceback_filtering
    config.disable_interactive_logging config.enable_interactive_logging utils.disable_interactive_logging
    utils.enable_interactive_logging config.enable_flash_attention config.disable_flash_attention
    config.set_max_epochs config.set_max_steps_per_epoch
    saving.save_weights saving.load_weights
    tree.assert_same_structure tree.assert_same_paths backend.set_session backend.tensorflow_backend.set_session
"""


@FRAMEWORK.on(*(f"tensorflow.debugging.assert_{name}" for name in ASSERTIONS),
              *(f"tensorflow.assert_{name}" for name in ASSERTIONS),
              *(f"{root}.{name}" for root, names in (("numpy", NUMPY), ("tensorflow", TENSORFLOW), ("keras", KERAS))
                for name in names.split()))
def nothing(c: Call) -> Any:
    """Nothing comes back that a program could go on with."""
    return
