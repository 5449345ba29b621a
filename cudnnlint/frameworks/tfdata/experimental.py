"""tf.data.experimental: functions that make a transformation for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.tfdata.making import FRAMEWORK
from cudnnlint.interp.objects import BuiltinV, MethodV
from cudnnlint.interp.registry import Call

EXPERIMENTAL = {
    "unbatch": "unbatch", "unique": "unique", "ignore_errors": "ignore_errors",
    "assert_cardinality": "assert_cardinality", "enumerate_dataset": "enumerate",
    "take_while": "take_while", "scan": "scan", "snapshot": "snapshot",
    "dense_to_ragged_batch": "ragged_batch", "bucket_by_sequence_length": "bucket_by_sequence_length",
    "parallel_interleave": "interleave", "group_by_window": "group_by_window", "prefetch_to_device": "prefetch",
    "copy_to_device": "prefetch",
}
"""Functions of tf.data.experimental that give something for apply() -> the method of the same arguments."""


def _curried(method: str) -> Callable[[Call], Any]:
    def handle(c: Call) -> Any:
        def run(inner: Call) -> Any:
            bound = MethodV(inner.args[0], f"tensorflow.data.Dataset.{method}")
            return inner.machine.call(bound, c.args, c.kwargs, c.node)

        return BuiltinV(f"tf.data.experimental.{method}", run)

    return handle


for _name, _method in EXPERIMENTAL.items():
    FRAMEWORK.on(f"tensorflow.data.experimental.{_name}", f"tensorflow.contrib.data.{_name}")(_curried(_method))


@FRAMEWORK.on("tensorflow.data.experimental.shuffle_and_repeat", "tensorflow.contrib.data.shuffle_and_repeat")
def shuffle_and_repeat(c: Call) -> Any:
    count = c.get(1, "count")
    return BuiltinV("shuffle_and_repeat", lambda inner: _method_of(inner, "repeat", [count], c))


@FRAMEWORK.on("tensorflow.data.experimental.map_and_batch", "tensorflow.contrib.data.map_and_batch")
def map_and_batch(c: Call) -> Any:
    function, size, drop = c.get(0, "map_func"), c.get(1, "batch_size"), c.get(3, "drop_remainder", False)

    def run(inner: Call) -> Any:
        mapped = _method_of(inner, "map", [function], c)
        return c.machine.call(MethodV(mapped, "tensorflow.data.Dataset.batch"), [size, drop], {}, c.node)

    return BuiltinV("map_and_batch", run)


def _method_of(inner: Call, name: str, args: list[Any], c: Call) -> Any:
    return c.machine.call(MethodV(inner.args[0], f"tensorflow.data.Dataset.{name}"), args, {}, c.node)
