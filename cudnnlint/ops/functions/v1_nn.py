"""TensorFlow 1 spellings of tf.nn and tf.image functions whose parameters differ from TensorFlow 2's."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions.activations import dropout
from cudnnlint.ops.functions.convolution import convolve, separable, transposed
from cudnnlint.ops.functions.convolutions import convolution, depthwise_conv2d
from cudnnlint.ops.functions.ctc import OF_THE_OP, per_sample
from cudnnlint.ops.functions.gather import embedding_lookup
from cudnnlint.ops.functions.losses import categorical, elementwise, sparse
from cudnnlint.ops.functions.paths import spell
from cudnnlint.ops.functions.pooling import pool, tf_pool
from cudnnlint.ops.functions.rearrange import depth_to_space, space_to_depth
from cudnnlint.ops.functions.refused_dtypes import of_classes
from cudnnlint.ops.functions.resize import crop_and_resize, resize
from cudnnlint.ops.functions.sorting import hits
from cudnnlint.ops.functions.v1 import V1, first_given
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Unknown

MISSING = Unknown("missing argument")


@function(f"{V1}.nn.conv1d")
def conv1d(value: Any = None, filters: Any = None, stride: Any = None, padding: Any = None,
           use_cudnn_on_gpu: Any = None, data_format: Any = None, name: Any = None, input: Any = None,
           dilations: Any = None) -> Outcome:
    return convolve(first_given(value, input, MISSING), filters, stride, padding, data_format, dilations, 1, "tf",
                    "tf.nn.conv1d")


@function(f"{V1}.nn.conv2d")
def conv2d(input: Any, filter: Any = None, strides: Any = None, padding: Any = None, use_cudnn_on_gpu: Any = True,
           data_format: Any = "NHWC", dilations: Any = (1, 1, 1, 1), name: Any = None, filters: Any = None) -> Outcome:
    return convolve(input, first_given(filter, filters, MISSING), strides, padding, data_format, dilations, 2, "tf",
                    "tf.nn.conv2d")


@function(f"{V1}.nn.conv3d")
def conv3d(input: Any, filter: Any = None, strides: Any = None, padding: Any = None, data_format: Any = "NDHWC",
           dilations: Any = (1, 1, 1, 1, 1), name: Any = None, filters: Any = None) -> Outcome:
    return convolve(input, first_given(filter, filters, MISSING), strides, padding, data_format, dilations, 3, "tf",
                    "tf.nn.conv3d")


@function(f"{V1}.nn.convolution")
def v1_convolution(input: Any, filter: Any, padding: Any, strides: Any = None,
                   dilation_rate: Any = None, name: Any = None, data_format: Any = None, filters: Any = None,
                   dilations: Any = None) -> Outcome:
    return convolution(input, first_given(filter, filters, MISSING), strides, padding, data_format,
                       first_given(dilation_rate, dilations))


@function(f"{V1}.nn.conv2d_transpose")
def conv2d_transpose(value: Any = None, filter: Any = None, output_shape: Any = None, strides: Any = None,
                     padding: Any = "SAME", data_format: Any = "NHWC", name: Any = None, input: Any = None,
                     filters: Any = None, dilations: Any = None) -> Outcome:
    return transposed(first_given(value, input, MISSING), first_given(filter, filters, MISSING), output_shape,
                      data_format, 2, "tf.nn.conv2d_transpose", (strides, padding, dilations))


@function(f"{V1}.nn.conv3d_transpose")
def conv3d_transpose(value: Any, filter: Any = None, output_shape: Any = None, strides: Any = None,
                     padding: Any = "SAME", data_format: Any = "NDHWC", name: Any = None, input: Any = None,
                     filters: Any = None, dilations: Any = None) -> Outcome:
    return transposed(first_given(value, input, MISSING), first_given(filter, filters, MISSING), output_shape,
                      data_format, 3, "tf.nn.conv3d_transpose", (strides, padding, dilations))


@function(f"{V1}.nn.depthwise_conv2d")
def v1_depthwise_conv2d(input: Any, filter: Any, strides: Any, padding: Any, rate: Any = None, name: Any = None,
                        data_format: Any = None, dilations: Any = None) -> Outcome:
    return depthwise_conv2d(input, filter, strides, padding, data_format, first_given(rate, dilations))


@function(f"{V1}.nn.separable_conv2d")
def separable_conv2d(input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any,
                     rate: Any = None, name: Any = None, data_format: Any = None, dilations: Any = None) -> Outcome:
    return separable(input, depthwise_filter, pointwise_filter, strides, padding, data_format,
                     first_given(rate, dilations), 2, "tf", "tf.nn.separable_conv2d")


@function(f"{V1}.nn.max_pool", f"{V1}.nn.avg_pool", f"{V1}.nn.avg_pool2d")
def max_pool(value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: Any = None,
             input: Any = None) -> Outcome:
    return pool(first_given(value, input, MISSING), ksize, strides, padding, data_format, 2, "tf", "tf.nn.max_pool")


@function(f"{V1}.nn.pool")
def v1_pool(input: Any, window_shape: Any, pooling_type: Any, padding: Any, dilation_rate: Any = None,
            strides: Any = None, name: Any = None, data_format: Any = None, dilations: Any = None) -> Outcome:
    return tf_pool(input, window_shape, pooling_type, strides, padding, data_format,
                   first_given(dilation_rate, dilations))


@function(f"{V1}.nn.dropout")
def v1_dropout(x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: Any = None,
               rate: Any = None) -> Outcome:
    return dropout(x, rate)


@function(f"{V1}.nn.embedding_lookup")
def v1_embedding_lookup(params: Any, ids: Any, partition_strategy: Any = "mod", name: Any = None,
                        validate_indices: Any = True, max_norm: Any = None) -> Outcome:
    return embedding_lookup(params, ids)


@function(f"{V1}.nn.in_top_k", f"{V1}.math.in_top_k")
def in_top_k(predictions: Any, targets: Any, k: Any, name: Any = None) -> Outcome:
    return hits(targets, "tf")


@function(f"{V1}.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy(_sentinel: Any = None, labels: Any = None, logits: Any = None, dim: Any = -1,
                          name: Any = None, axis: Any = None) -> Outcome:
    return categorical(labels, logits, first_given(axis, dim), "tf", "tf.nn.softmax_cross_entropy_with_logits")


@function("tensorflow.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_v2(labels: Any, logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Outcome:
    return categorical(labels, logits, first_given(axis, dim, -1), "tf",
                       "tf.nn.softmax_cross_entropy_with_logits_v2")


@function(f"{V1}.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy(_sentinel: Any = None, labels: Any = None, logits: Any = None,
                                 name: Any = None) -> Outcome:
    name = "tf.nn.sparse_softmax_cross_entropy_with_logits"
    return of_classes(name, labels, sparse(labels, logits, "tf", name))


@function(f"{V1}.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy(_sentinel: Any = None, labels: Any = None, logits: Any = None, name: Any = None) -> Outcome:
    return elementwise(labels, logits, "tf", "tf.nn.sigmoid_cross_entropy_with_logits")


@function(f"{V1}.nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy(labels: Any = None, logits: Any = None, pos_weight: Any = None, name: Any = None,
                           targets: Any = None) -> Outcome:
    return elementwise(first_given(labels, targets), logits, "tf", "tf.nn.weighted_cross_entropy_with_logits")


@function(f"{V1}.nn.ctc_loss")
def ctc_loss(labels: Any, inputs: Any = None, sequence_length: Any = None, preprocess_collapse_repeated: Any = False,
             ctc_merge_repeated: Any = True, ignore_longer_outputs_than_inputs: Any = False, time_major: Any = True,
             logits: Any = None) -> Outcome:
    if not isinstance(time_major, bool):
        return Unknown("time_major")
    return per_sample(first_given(inputs, logits), 1 if time_major else 0, "tf", "tf.compat.v1.nn.ctc_loss", "inputs",
                      OF_THE_OP)


@function(f"{V1}.nn.space_to_depth", f"{V1}.space_to_depth")
def v1_space_to_depth(input: Any, block_size: Any, name: Any = None, data_format: Any = "NHWC") -> Outcome:
    return space_to_depth(input, block_size, data_format, "tf", "tf.nn.space_to_depth")


@function(f"{V1}.nn.depth_to_space", f"{V1}.depth_to_space")
def v1_depth_to_space(input: Any, block_size: Any, name: Any = None, data_format: Any = "NHWC") -> Outcome:
    return depth_to_space(input, block_size, data_format, "tf", "tf.nn.depth_to_space")


@function(f"{V1}.image.resize", "tensorflow.image.resize_images")
def v1_resize(images: Any, size: Any, method: Any = 0, align_corners: Any = False, preserve_aspect_ratio: Any = False,
              name: Any = None) -> Outcome:
    return resize(images, size, method, preserve_aspect_ratio)


@function("tensorflow.image.resize_area")
def resize_area(images: Any, size: Any, align_corners: Any = False, name: Any = None) -> Outcome:
    return resize(images, size)


@function("tensorflow.image.resize_bilinear", "tensorflow.image.resize_bicubic")
def resize_bilinear(images: Any, size: Any, align_corners: Any = False, name: Any = None,
                    half_pixel_centers: Any = False) -> Outcome:
    return resize(images, size)


@function("tensorflow.image.resize_nearest_neighbor")
def resize_nearest_neighbor(images: Any, size: Any, align_corners: Any = False, name: Any = None,
                            half_pixel_centers: Any = False) -> Outcome:
    return resize(images, size, "nearest")


@function(f"{V1}.image.crop_and_resize")
def v1_crop_and_resize(image: Any, boxes: Any, box_ind: Any = None, crop_size: Any = None, method: Any = "bilinear",
                       extrapolation_value: Any = 0, name: Any = None, box_indices: Any = None) -> Outcome:
    return crop_and_resize(image, boxes, first_given(box_ind, box_indices), crop_size)


def _opaque(*args: Any, **kwargs: Any) -> Outcome:
    """Exists with other parameters than in TensorFlow 2, and is not followed."""
    return Unknown("a TensorFlow 1 function")


for _name in ("batch_to_space", "space_to_batch", "nn.space_to_batch", "decode_raw", "io.decode_raw", "gather_nd",
              "reverse_sequence", "image.draw_bounding_boxes", "nn.crelu", "nn.max_pool_with_argmax",
              "nn.weighted_moments"):
    spell(_opaque, f"{V1}.{_name}")
