"""Errors as people paste them, numbers, paths and log prefixes and all, lead to the rules that tell of them."""

from __future__ import annotations

import pytest

from cudnnlint.engine.search import search

LOGS = {
    "empty-feature-map": [
        "ValueError: Negative dimension size caused by subtracting 2 from 1 for '{{node max_pooling2d_5/MaxPool}} = "
        "MaxPool[T=DT_FLOAT, data_format=\"NHWC\", ksize=[1, 2, 2, 1]]' with input shapes: [?,1,1,128].",
        "ValueError: Computed output size would be negative. Received `inputs.shape=(None, 3, 3, 16)`, "
        "`kernel.shape=(5, 5, 16, 32)`, `dilation_rate=[1 1]`.",
    ],
    "unequal-strides": [
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: Current implementation only supports equal "
        "length "
        "strides in the row and column dimensions. [Op:DepthwiseConv2dNative]"],
    "strides-with-dilation": [
        'File "/usr/lib/python3.8/site-packages/keras/layers/convolutional.py", line 120, in __init__\n'
        "ValueError: `strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=(2, 2) and "
        "dilation_rate=(2, 2)"],
    "incompatible-merge": [
        "ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
        "Received: input_shape=[(None, 14, 14, 512), (None, 13, 13, 256)]",
        "ValueError: Inputs have incompatible shapes. Received shapes (28, 28, 64) and (14, 14, 64)"],
    "reshape-size-mismatch": [
        "InvalidArgumentError (see above for traceback): Input to reshape is a tensor with 2979840 values, but the "
        "requested shape requires a multiple of 3136\n\t [[Node: Reshape_1 = Reshape[T=DT_FLOAT, Tshape=DT_INT32]]]",
        "ValueError: total size of the tensor must be unchanged, input_shape = [7, 7, 32], output_shape = [3136]"],
    "rank-mismatch": [
        "ValueError: Input 0 of layer conv2d_12 is incompatible with the layer: expected min_ndim=4, found ndim=2. "
        "Full "
        "shape received: (None, 784)",
        "ValueError: Input 0 of layer lstm_3 is incompatible with the layer: expected ndim=3, found ndim=2. Full shape "
        "received: [None, 64]"],
    "unknown-feature-size": [
        "ValueError: The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
        "received: (None, None)"],
    "indivisible-groups": [
        "ValueError: The number of input channels must be evenly divisible by the number of groups. Received "
        "groups=4, but "
        "the input has 3 channels (full input shape is (None, 32, 32, 3))."],
    "application-input-too-small": [
        "ValueError: Input size must be at least 75x75; Received: input_shape=(64, 64, 3)"],
    "channel-mismatch": [
        "ValueError: Input 0 of layer \"conv2d\" is incompatible with the layer: expected axis -1 of input shape to "
        "have "
        "value 3, but received input with shape (None, 64, 64, 1)",
        "RuntimeError: Given groups=1, weight of size [64, 3, 7, 7], expected input[16, 1, 224, 224] to have 3 "
        "channels, "
        "but got 1 channels instead",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 2048x10)"],
    "non-positive-batch-size": [
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: Batch size must be greater than zero. "
        "[Op:BatchDatasetV2]"],
    "empty-training-run": [
        "ValueError: Unexpected result of `train_function` (Empty Logs). Please use `Model.compile(..., "
        "run_eagerly=True)`, or `tf.config.run_functions_eagerly(True)` for more information of where went wrong",
        "ValueError: Expect x to be a non-empty array or dataset."],
    "ragged-image-batch": [
        "2021-06-02 10:51:02.103: W tensorflow/core/framework/op_kernel.cc:1767] OP_REQUIRES failed at "
        "iterator_ops.cc:941 : Invalid argument: Cannot batch tensors with different shapes in component 0. First "
        "element "
        "had shape [220,195,3] and element 1 had shape [339,460,3]."],
    "label-out-of-range": [
        "../aten/src/ATen/native/cuda/Loss.cu:242: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: "
        "[3,0,0] Assertion `t >= 0 && t < n_classes` failed.",
        "InvalidArgumentError: Received a label value of 101 which is outside the valid range of [0, 101).  Label "
        "values: "
        "3 17 101 4\n\t [[{{node loss/dense_1_loss/SparseSoftmaxCrossEntropyWithLogits}}]]"],
    "embedding-index-out-of-range": [
        "/pytorch/aten/src/THC/THCTensorIndex.cu:361: void indexSelectLargeIndex(...): block: [59,0,0], thread: "
        "[127,0,0] Assertion `srcIndex < srcSelectDimSize` failed. RuntimeError: CUDNN_STATUS_MAPPING_ERROR",
        "InvalidArgumentError: indices[0,4] = 10000 is not in [0, 10000)\n\t [[node "
        "sequential/embedding/embedding_lookup "
        "(defined at <ipython-input-9-2f0c>:3) ]]"],
    "stateful-uneven-batch": [
        "ValueError: In a stateful network, you should only pass inputs with a number of samples that can be "
        "divided by "
        "the batch size. Found: 250 samples"],
    "integer-conv-input": [
        "TypeError: Value passed to parameter 'input' has DataType uint8 not in list of allowed values: float16, "
        "bfloat16, "
        "float32, float64, int32"],
    "dtype-mismatch": [
        "InvalidArgumentError: cannot compute Conv2D as input #1(zero-based) was expected to be a double tensor but "
        "is a "
        "float tensor [Op:Conv2D]"],
    "mask-not-right-padded": [
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error: assertion failed: "
        "[You are "
        "passing a RNN mask that does not correspond to right-padded sequences, while using cuDNN, which is not "
        "supported. With cuDNN, RNN masks can only be used for right-padding]",
        "UnknownError: CUDNN_STATUS_BAD_PARAM\nin tensorflow/stream_executor/cuda/cuda_dnn.cc(1496): "
        "'cudnnSetRNNDataDescriptor( data_desc.get(), data_type, layout, max_seq_length, batch_size, data_size, "
        "seq_lengths_array, (void*)&padding_fill)' [Op:CudnnRNNV3]"],
    "cudnn-layer-on-cpu": [
        "InvalidArgumentError: No OpKernel was registered to support Op 'CudnnRNN' used by {{node cu_dnnlstm/CudnnRNN}}"
        "with these attrs: [seed=0, dropout=0, T=DT_FLOAT]\nRegistered devices: [CPU]\nRegistered kernels:\n  <no "
        "registered kernels>"],
    "memory-growth-too-late": [
        "RuntimeError: Physical devices cannot be modified after being initialized"],
    "memory-growth-on-some-gpus": ["ValueError: Memory growth cannot differ between GPU devices"],
    "memory-growth-with-limit": [
        "ValueError: Cannot set memory growth on device when virtual devices configured"],
    "whole-dataset-on-gpu": [
        "tensorflow.python.framework.errors_impl.InternalError: Failed copying input tensor from "
        "/job:localhost/replica:0/"
        "task:0/device:CPU:0 to /job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst "
        "tensor is "
        "not initialized."],
    "out-of-memory": [
        "ResourceExhaustedError:  OOM when allocating tensor with shape[8,64,208,208] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
        "tensorflow.python.framework.errors_impl.UnknownError: Failed to get convolution algorithm. This is probably "
        "because cuDNN failed to initialize, so try looking to see if a warning log message was printed above. "
        "[Op:Conv2D]",
        "2021-01-03 11:02:13.123456: E tensorflow/stream_executor/cuda/cuda_dnn.cc:328] Could not create cudnn handle: "
        "CUDNN_STATUS_ALLOC_FAILED",
        "InternalError: Failed to call ThenRnnForward with model config: [rnn_mode, rnn_input_mode, "
        "rnn_direction_mode]: 2, 0, 0 , [num_layers, input_size, num_units, dir_count, max_seq_length, batch_size, "
        "cell_num_units]: [1, 50, 64, 1, 100, 32, 64] [Op:CudnnRNN]",
        "E tensorflow/stream_executor/cuda/cuda_blas.cc:226] failed to create cublas handle: "
        "CUBLAS_STATUS_ALLOC_FAILED"],
    "retraced-each-step": [
        "WARNING:tensorflow:5 out of the last 5 calls to <function train_step at 0x7f2a4c0b1d08> triggered tf.function "
        "retracing. Tracing is expensive and the excessive number of tracings could be due to (1) creating "
        "@tf.function "
        "repeatedly in a loop, (2) passing tensors with different shapes, (3) passing Python objects instead of "
        "tensors."],
    "layers-created-in-call": [
        "ValueError: tf.function only supports singleton tf.Variables created on the first call. Make sure the "
        "tf.Variable is only created once or created outside tf.function."],
    "single-value-batchnorm": [
        "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 32])"],
    "unknown-layer-argument": [
        "TypeError: ('Keyword argument not understood:', 'kernal_size')",
        "ValueError: Unrecognized keyword arguments passed to Dense: {'input_dims': 8}"],
    "unexpected-object": [
        "TypeError: The added layer must be an instance of class Layer. Found: <class 'keras.layers.core.dense.Dense'>",
        "ValueError: Layer dense_2 was called with an input that isn't a symbolic tensor. Received type: <class",
        "ValueError: Unrecognized data type: x=[[1, 2, 3, 4]] (of type <class 'list'>)"],
    "unregistered-object": [
        "ValueError: Unknown layer: MyLayer",
        "TypeError: Could not locate function 'mse'. Make sure custom classes are decorated with "
        "`@keras.saving.register_keras_serializable()`. Full object config: {'module': 'keras.metrics'}"],
    "incomplete-subclass": [
        "NotImplementedError: When subclassing the `Model` class, you should implement a `call()` method."],
    "input-shape-mismatch": [
        "ValueError: Cannot feed value of shape (50,) for Tensor 'Placeholder_1:0', which has shape '(?, 10)'",
        "ValueError: Error when checking input: expected dense_input to have shape (8,) but got array with shape (1,)"],
    "removed-argument": ["ValueError: Argument(s) not recognized: {'lr': 0.0001}"],
    "removed-api": ["AttributeError: module 'tensorflow' has no attribute 'ConfigProto'"],
    "label-shape-mismatch": [
        "ValueError: Shapes (32, 1) and (32, 10) are incompatible",
        "ValueError: `logits` and `labels` must have the same shape, received ((None, 2) vs (None, 1))."],
    "steps-exceed-data": [
        "WARNING:tensorflow:Your input ran out of data; interrupting training. Make sure that your dataset or "
        "generator "
        "can generate at least `steps_per_epoch * epochs` batches (in this case, 5000 batches). You may need to use "
        "the "
        "repeat() function when building your dataset."],
    "non-positive-argument": [
        "ValueError: Invalid value for argument `filters`. Expected a strictly positive value. Received filters=0."],
    "replica-starved-batch": [
        "F tensorflow/stream_executor/cuda/cuda_dnn.cc:516] Check failed: cudnnSetTensorNdDescriptor(handle_.get(), "
        "elem_type, nd, dims.data(), strides.data()) == CUDNN_STATUS_SUCCESS (3 vs. 0)batch_descriptor: {count: 0 "
        "feature_map_count: 16 spatial: 128 128 128  value_min: 0.000000 layout: BatchDepthYX}"],
    "incompatible-cuda-stack": [
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
        "'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory"],
    "use-cudnn-impossible": [
        "ValueError: use_cudnn=True was specified, but cuDNN is not supported for this layer configuration with this "
        "backend. Pass use_cudnn='auto' to fallback to a non-cuDNN implementation."],
    "changed-in-place": [
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.cuda.FloatTensor [64, 256]], which is output 0 of ReluBackward0, is at version 1; expected version 0"],
    "gpu-taken-by-each-process": [
        "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize, so "
        "try looking to see if a warning log message was printed above. [[node sequential/conv2d/Conv2D]]"],
    "small-batchnorm-epsilon": ["CUDNN_STATUS_BAD_PARAM in cudnnBatchNormalizationForwardTraining"],
}
CASES = [(rule, text) for rule, texts in LOGS.items() for text in texts]


@pytest.mark.parametrize(("rule", "text"), CASES, ids=[f"{rule}-{number}" for number, (rule, _) in enumerate(CASES)])
def test_an_error_leads_to_its_rule(rule: str, text: str) -> None:
    assert rule in [found.name for found in search(text)[:3]]


@pytest.mark.parametrize(("rule", "text"), [
    ("removed-api", "AttributeError: 'Sequential' object has no attribute 'predict_classes'"),
    ("removed-api", "AttributeError: module 'tensorflow' has no attribute 'Session'"),
    ("removed-api", "ModuleNotFoundError: No module named 'keras.layers.core'"),
    ("removed-api", "ImportError: cannot import name 'multi_gpu_model' from 'tensorflow.keras.utils' "
                    "(/opt/venv/lib/python3.8/site-packages/tensorflow/keras/utils/__init__.py)"),
    ("removed-argument", "TypeError: Adam.__init__() got an unexpected keyword argument 'lr'"),
    ("incomplete-subclass", "TypeError: __init__() got an unexpected keyword argument 'trainable'"),
    ("missing-return", "AttributeError: 'NoneType' object has no attribute 'compile'"),
])
def test_of_like_errors_the_name_that_one_is_about_decides(rule: str, text: str) -> None:
    assert search(text)[0].name == rule


def test_what_all_of_an_error_tells_counts_together() -> None:
    text = ("../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], "
            "thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed.\n"
            "RuntimeError: CUDA error: device-side assert triggered")
    assert search(text)[0].name == "label-out-of-range"


def test_attributes_of_a_node_are_no_part_of_its_error() -> None:
    text = ("ValueError: Negative dimension size caused by subtracting 2 from 1 for '{{node pool/MaxPool}} = "
            "MaxPool[T=DT_FLOAT, data_format=\"NHWC\", explicit_paddings=[], ksize=[1, 2, 2, 1], padding=\"VALID\", "
            "strides=[1, 2, 2, 1]](Placeholder)' with input shapes: [?,1,1,128].")
    assert search(text)[0].name == "empty-feature-map"


def test_a_loss_that_is_no_number_leads_to_what_may_have_made_it_so() -> None:
    found = {rule.name for rule in search("125/125 - 3s - accuracy: 0.0980 - loss: nan")}
    assert {"label-out-of-range", "zero-batchnorm-epsilon", "epsilon-underflows-float16"} <= found


def test_most_errors_lead_there_at_once() -> None:
    first = [rule for rule, text in CASES if search(text)[0].name == rule]
    assert len(first) >= 0.9 * len(CASES)


@pytest.mark.parametrize("name", ["CUDNN_STATUS_BAD_PARAM", "cudnnSetRNNDataDescriptor", "CUDNN_STATUS_NOT_SUPPORTED"])
def test_a_status_alone_leads_to_pages_that_speak_of_it(name: str) -> None:
    found = search(name)
    assert found
    assert all(name in rule.page for rule in found)


@pytest.mark.parametrize("text", [
    "", "hello world", "KeyError: 'loss'", "ModuleNotFoundError: No module named 'pandas'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'", "SyntaxError: invalid syntax", "12 "
    "34 56",
    "how do I learn deep learning", "ImportError: libGL.so.1: cannot open shared object file: No such file or "
    "directory",
    "ModuleNotFoundError: No module named 'tensorflow'", "ImportError: No module named keras",
])
def test_what_no_rule_tells_of_leads_nowhere(text: str) -> None:
    assert [rule.name for rule in search(text)] == []


def test_numbers_paths_and_the_rest_of_a_log_change_nothing() -> None:
    plain = "Negative dimension size caused by subtracting 2 from 1"
    log = ("2019-11-04 09:12:44.120394: I tensorflow/core/platform/cpu_feature_guard.cc:142] Your CPU supports "
           "instructions that this TensorFlow binary was not compiled to use: AVX2 FMA\nEpoch 1/50\n"
           "Traceback (most recent call last):\n  File \"/home/me/project/train.py\", line 88, in <module>\n"
           "    model = build_model(args)\n  File \"/home/me/project/train.py\", line 31, in build_model\n"
           "    x = MaxPooling2D((2, 2))(x)\n"
           "\x1b[31mValueError: Negative dimension size caused by subtracting 17 from 9 for 'pool/MaxPool' "
           "(op: 'MaxPool') with input shapes: [?,9,9,128].\x1b[0m")
    assert {rule.name for rule in search(log)} == {rule.name for rule in search(plain)}
