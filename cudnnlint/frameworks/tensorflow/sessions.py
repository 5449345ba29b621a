"""Sessions of TensorFlow 1: where they run, what adds operations to their graph, and where a new graph begins."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.graphs.fed import check_feed, tell_fed
from cudnnlint.interp.graphs.sessions import built, fresh, ran
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import PARENTS, Call
from cudnnlint.values import Unknown

NUMBERED = "metrics that were made before"
"""Key of those whose names count for the numbers of later ones."""

SESSION = "tensorflow.Session"
PARENTS.update(dict.fromkeys((
    "tensorflow.InteractiveSession", "tensorflow.train.MonitoredSession",
    "tensorflow.train.SingularMonitoredSession"), SESSION))
NAMED = ("sess", "session")
"""How people call a session, where it comes from code that is not followed."""
OPERATIONS = (
    "assign", "assign_add", "assign_sub", "scatter_update", "global_variables_initializer",
    "local_variables_initializer", "variables_initializer", "initialize_all_variables", "initialize_variables",
    "tables_initializer", "gradients", "summary.merge", "summary.merge_all", "summary.scalar", "summary.histogram",
    "summary.image", "summary.text", "summary.audio", "train.import_meta_graph", "import_graph_def",
    "train.exponential_decay", "train.natural_exp_decay", "train.inverse_time_decay", "train.polynomial_decay",
    "train.piecewise_constant", "train.piecewise_constant_decay", "train.cosine_decay",
    "train.cosine_decay_restarts", "train.linear_cosine_decay", "train.noisy_linear_cosine_decay",
    "metrics.accuracy", "metrics.mean", "metrics.auc", "metrics.precision", "metrics.recall", "metrics.mean_iou",
    "losses.softmax_cross_entropy", "losses.sparse_softmax_cross_entropy", "losses.sigmoid_cross_entropy",
    "losses.absolute_difference", "losses.huber_loss", "no_op", "group", "tuple", "global_norm", "confusion_matrix",
    "matrix_inverse", "svd", "diag", "multinomial", "setdiff1d", "edit_distance", "nn.ctc_beam_search_decoder",
    "nn.ctc_greedy_decoder", "string_to_number", "string_split", "verify_tensor_all_finite", "check_numerics",
    "debugging.check_numerics", "Print", "report_uninitialized_variables", "is_variable_initialized")
"""Functions that add to the graph, and whose result is not modelled."""


@FRAMEWORK.on(f"{SESSION}.run")
def run(c: Call) -> Any:
    ran(c.machine, c.span)
    check_feed(c, c.get(1, "feed_dict"))
    tell_fed(c, c.get(0, "fetches"), c.get(1, "feed_dict"))
    return Unknown("what a session gives")


@FRAMEWORK.on("*.run")
def run_unknown(c: Call) -> None:
    """`sess.run(...)` of a parameter: other objects have a run() too."""
    holder = getattr(getattr(c.node, "func", None), "value", None)
    name = holder.id if isinstance(holder, ast.Name) else holder.attr if isinstance(holder, ast.Attribute) else ""
    if name.lower().lstrip("_") in NAMED:
        ran(c.machine, c.span)
        feed = c.args[1] if len(c.args) > 1 else c.kwargs.get("feed_dict")
        check_feed(c, feed)
        tell_fed(c, c.args[0] if c.args else c.kwargs.get("fetches"), feed)
    elif "feed_dict" in c.kwargs:  # of an operation: tensorflow/python/framework/ops.py: Operation.run
        check_feed(c, c.kwargs["feed_dict"])


@FRAMEWORK.on(*(f"tensorflow.{name}" for name in OPERATIONS))
def operation(c: Call) -> Any:
    """An operation whose result is not modelled."""
    path = plain(c.callee).path
    built(c.machine, path, c.span)
    forget_closures(c.machine, c)
    return Unknown(f"{path}()")


@FRAMEWORK.on("tensorflow.train.Saver")
def saver(c: Call) -> Any:
    """It adds the operations that save and restore each variable (tensorflow/python/training/saver.py: Saver.build)."""
    built(c.machine, "tensorflow.train.Saver", c.span)
    return ObjectV("tensorflow.train.Saver", tuple(c.args), dict(c.kwargs), c.span)


@FRAMEWORK.on("tensorflow.Graph")
def graph(c: Call) -> Any:
    fresh(c.machine, own=True)
    return ObjectV("tensorflow.Graph", (), {}, c.span)


@FRAMEWORK.on("tensorflow.reset_default_graph", "keras.backend.clear_session", "keras.utils.clear_session")
def reset(c: Call) -> None:
    c.machine.state.pop(NUMBERED, None)
    fresh(c.machine)
