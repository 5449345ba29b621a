"""Signatures of the Model methods that rules check.

keras/src/backend/tensorflow/trainer.py; tf_keras/src/engine/training.py
"""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.protocol import Spelling

QUEUE = {"max_queue_size": "<3", "workers": "<3", "use_multiprocessing": "<3"}


def compile_(optimizer: Any = "rmsprop", loss: Any = None, loss_weights: Any = None, metrics: Any = None,
             weighted_metrics: Any = None, run_eagerly: Any = None, steps_per_execution: Any = None,
             jit_compile: Any = "auto",
             auto_scale_loss: Any = True, pss_evaluation_shards: Any = 0, *, cloning: Any = None,
             distribute: Any = None,
             experimental_run_tf_function: Any = None, target_tensors: Any = None, sample_weight_mode: Any = None,
             from_serialized: Any = None) -> None: ...


def fit(x: Any = None, y: Any = None, batch_size: Any = None, epochs: Any = 1, verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: Any = 0.0, validation_data: Any = None, shuffle: Any = True, class_weight: Any = None,
        sample_weight: Any = None, initial_epoch: Any = 0, steps_per_epoch: Any = None, validation_steps: Any = None,
        validation_batch_size: Any = None, validation_freq: Any = 1, max_queue_size: Any = 10, workers: Any = 1,
        use_multiprocessing: Any = False) -> None: ...


def evaluate(x: Any = None, y: Any = None, batch_size: Any = None, verbose: Any = "auto", sample_weight: Any = None,
             steps: Any = None, callbacks: Any = None, max_queue_size: Any = 10, workers: Any = 1,
             use_multiprocessing: Any = False, return_dict: Any = False,
             _use_cached_eval_dataset: Any = False) -> None: ...


def predict(x: Any, batch_size: Any = None, verbose: Any = "auto", steps: Any = None, callbacks: Any = None,
            max_queue_size: Any = 10, workers: Any = 1, use_multiprocessing: Any = False) -> None: ...


def train_on_batch(x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None,
                   reset_metrics: Any = True,
                   return_dict: Any = False) -> None: ...


def test_on_batch(x: Any, y: Any = None, sample_weight: Any = None, reset_metrics: Any = True,
                  return_dict: Any = False, **kwargs: Any) -> None: ...


def predict_on_batch(x: Any) -> None: ...


OLD = ("cloning", "distribute", "experimental_run_tf_function", "target_tensors", "sample_weight_mode",
       "from_serialized", "pss_evaluation_shards")
"""What compile() of Keras 2 lets pass (tf_keras/src/engine/training.py: _validate_compile)."""
RESET = {"reset_metrics": "<3"}
METHODS = {
    "compile": Spelling("keras.Model.compile", compile_, False, {**dict.fromkeys(OLD, "<3"), "auto_scale_loss": ">=3"}),
    "fit": Spelling("keras.Model.fit", fit, False, QUEUE),
    "evaluate": Spelling("keras.Model.evaluate", evaluate, False, QUEUE),
    "predict": Spelling("keras.Model.predict", predict, False, QUEUE),
    "train_on_batch": Spelling("keras.Model.train_on_batch", train_on_batch, False, RESET),
    "test_on_batch": Spelling("keras.Model.test_on_batch", test_on_batch, False, RESET),
    "predict_on_batch": Spelling("keras.Model.predict_on_batch", predict_on_batch, False, {}),
}
"""Method name -> its spelling."""
