"""What people ask objects of one library for, that those of another have: the names, and what does the same."""

from __future__ import annotations

OF_NUMPY = frozenset({
    "astype", "mean", "sum", "max", "min", "flatten", "ravel", "transpose", "T", "tolist", "std", "var", "argmax",
    "argmin", "copy", "clip", "dot", "fill", "item", "prod", "repeat", "swapaxes", "all", "any", "cumsum", "round",
    "take", "nonzero", "size", "reshape", "squeeze",
})
OF_TORCH = frozenset({"view", "permute", "unsqueeze", "detach", "to", "cuda", "dim", "backward"})
"""What arrays of NumPy and PyTorch have and no tensor of TensorFlow, eager, symbolic or a variable, each asked of
TensorFlow 2.21 (tensorflow/python/framework/tensor.py: Tensor.__getattr__)."""
OF_ARRAYS = {
    **dict.fromkeys(("numpy", "cpu", "detach", "cuda"), "the array itself"), "to": "astype", "float": "astype(float)",
    "unsqueeze": "np.expand_dims", "permute": "transpose", "append": "np.append", "extend": "np.concatenate",
    "get_shape": "shape", "dim": "ndim", "length": "len()", "len": "len()", "batch": "", "head": "", "iloc": "",
    "values": "the array itself", "push": "np.append", "as_list": "tolist", "to_numpy": "the array itself",
    "expand_dims": "np.expand_dims", "dtypes": "dtype",
    **dict.fromkeys(("columns", "loc", "drop", "dropna", "fillna", "iterrows", "apply", "groupby", "describe", "isnull",
                     "merge", "to_csv"), "pd.DataFrame(...) makes a table of it"),
    "backward": "", "requires_grad": "", "requires_grad_": "", "eval": "", "shuffle": "",
}
"""What tensors, lists, frames and datasets have and no array of NumPy, of any version -> what does the same."""
OF_OTHERS_THAN_TORCH = {
    "astype": "to()", "copy": "clone()", "append": "torch.cat", "extend": "torch.cat", "get_shape": "shape",
    "as_list": "tolist()", "len": "len()", "length": "len()", "set_shape": "", "head": "", "iloc": "", "batch": "",
    "zero_grad": "optimizer.zero_grad()", "step": "optimizer.step()", "parameters": "", "state_dict": "",
    "load_state_dict": "", "train": "", "eval": "",
}
"""The same of tensors of PyTorch."""
PAST_OF_TORCH = frozenset({"names"})
"""What tensors of older releases of PyTorch have."""
OF_KERAS_3 = frozenset({"reshape", "squeeze"})
"""Those that its symbolic tensors have (keras/src/backend/common/keras_tensor.py: KerasTensor)."""
INSTEAD = {
    "astype": "tf.cast", "mean": "tf.reduce_mean", "sum": "tf.reduce_sum", "max": "tf.reduce_max",
    "min": "tf.reduce_min", "std": "tf.math.reduce_std", "var": "tf.math.reduce_variance", "all": "tf.reduce_all",
    "any": "tf.reduce_any", "prod": "tf.reduce_prod", "T": "tf.transpose", "permute": "tf.transpose",
    "view": "tf.reshape", "flatten": "tf.reshape(x, [-1])", "ravel": "tf.reshape(x, [-1])", "dot": "tf.tensordot",
    "unsqueeze": "tf.expand_dims", "size": "tf.size", "clip": "tf.clip_by_value", "dim": "x.ndim",
    "detach": "tf.stop_gradient", "item": "x.numpy()", "tolist": "x.numpy().tolist()",
    "backward": "tape.gradient(loss, variables)",
    **{name: f"tf.{name}" for name in ("transpose", "argmax", "argmin", "repeat", "round", "reshape", "squeeze")},
}
OF_OTHERS = {
    "append": "add()", "train": "fit()", "eval": "evaluate()", "parameters": "trainable_variables", "cuda": "",
    "to": "", "state_dict": "get_weights()", "load_state_dict": "set_weights()", "save_model": "save()",
    "forward": "the model itself, called", "zero_grad": "", "named_parameters": "variables", "score": "evaluate()",
}
"""What models of PyTorch and scikit-learn have -> what those of Keras have in its place."""
OF_DATASETS = {
    "shape": "element_spec", "dtype": "element_spec", "next": "next(iter(...)) of it", "numpy": "as_numpy_iterator()",
    "to_numpy": "as_numpy_iterator()", "as_numpy": "as_numpy_iterator()", "values": "as_numpy_iterator()",
    "get_next": "next(iter(...)) of it", "head": "take()", "sample": "take()",
    "append": "concatenate()", "size": "cardinality()", "length": "cardinality()", "len": "cardinality()", "fit": "",
    "split": "take() and skip(), or keras.utils.split_dataset", "class_indices": "class_names",
    "classes": "class_names", "samples": "cardinality()", "columns": "", "labels": "", "iloc": "", "loc": "",
    "train": "",
}
"""What arrays, frames, generators and folders have and no tf.data.Dataset -> what does the same."""
OF_VARIABLES = frozenset({"assign", "assign_add", "assign_sub"})
OF_KERAS_OPTIMIZERS = {
    "step": "apply_gradients(zip(gradients, variables))", "apply_gradient": "apply_gradients", "zero_grad": "",
    "param_groups": "learning_rate", "backward": "tape.gradient(loss, variables)", "load_state_dict": "",
}
"""What optimizers of PyTorch have, or is misspelt, and none of Keras has."""
OF_TORCH_OPTIMIZERS = {
    **dict.fromkeys(("lr", "learning_rate"), 'param_groups[0]["lr"]'),
    **dict.fromkeys(("zero_gradient", "zero_gradients", "zero_grads", "clear_grad"), "zero_grad()"),
    "apply_gradients": "step()", "minimize": "backward() of the loss, then step()",
    "backward": "backward() of the loss", "update": "step()", "parameters": "param_groups",
    "get_lr": 'param_groups[0]["lr"]',
}
"""What optimizers of Keras have, or people write, and none of PyTorch (torch/optim/optimizer.py: Optimizer)."""
OF_KERAS = {"predict": "the module itself, called", "fit": "", "evaluate": "", "summary": "print(module)",
            "add": "append()", "get_weights": "state_dict()", "set_weights": "load_state_dict()",
            "save_weights": "torch.save", "load_weights": "load_state_dict()", "predict_classes": "argmax(dim=1)",
            "trainable_variables": "parameters()", "trainable_weights": "parameters()", "output_shape": "",
            "weights": "weight", "biases": "bias", "forwards": "forward", "zero_grads": "zero_grad"}
"""What models of Keras have, or what is misspelt, and no module of PyTorch has (torch/nn/modules/module.py)."""
OF_ARRAYS_NOT_LISTS = {
    **dict.fromkeys(("shape", "reshape", "astype", "dtype", "ndim", "T", "flatten", "transpose", "mean", "std",
                     "squeeze", "argmax"), "the same of np.array(...) of it"),
    **dict.fromkeys(("to", "cuda", "unsqueeze", "view", "float", "long", "detach"), "the same of a tensor of it"),
}
"""What arrays and tensors have and no list."""
