"""Names of TensorFlow 1 that TensorFlow 2 keeps in tf.compat.v1 only.

tests/oracle/test_changes.py compares them with the TensorFlow that is installed: each is in tf.compat.v1 and not in tf.
"""

from __future__ import annotations

_TOP = """
AUTO_REUSE ConditionalAccumulator ConfigProto Dimension FIFOQueue FixedLenFeature FixedLenSequenceFeature
FixedLengthRecordReader GIT_VERSION GPUOptions GraphDef GraphKeys GraphOptions IdentityReader InteractiveSession
MetaGraphDef NoGradient NodeDef NotDifferentiable OpError OptimizerOptions PaddingFIFOQueue Print PriorityQueue
QueueBase RandomShuffleQueue ReaderBase RunMetadata RunOptions Session SparseFeature SparseTensorValue Summary
TFRecordReader TextLineReader VERSION VarLenFeature VariableScope WholeFileReader accumulate_n add_check_numerics_ops
add_to_collection add_to_collections all_variables angle app arg_max arg_min assert_greater_equal assert_integer
assert_less_equal assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive
assert_rank_at_least assert_rank_in assert_scalar assert_type assert_variables_initialized assign assign_add assign_sub
batch_gather batch_to_space_nd betainc bincount ceil check_numerics cholesky cholesky_solve clip_by_average_norm
colocate_with confusion_matrix conj convert_to_tensor_or_indexed_slices convert_to_tensor_or_sparse_tensor
count_nonzero count_up_to create_partitioned_variables cross cumprod decode_base64 decode_csv decode_json_example
decode_raw depth_to_space dequantize diag diag_part digamma dimension_value disable_eager_execution
disable_resource_variables disable_v2_behavior disable_v2_tensorshape distributions div div_no_nan
enable_eager_execution enable_resource_variables enable_v2_behavior encode_base64 erf erfc expm1 extract_image_patches
fake_quant_with_min_max_args fake_quant_with_min_max_vars fft fft2d fft3d fixed_size_partitioner flags floor_div
floordiv floormod get_collection get_collection_ref get_default_graph get_default_session get_local_variable get_seed
get_variable get_variable_scope gfile global_norm global_variables global_variables_initializer
glorot_normal_initializer glorot_uniform_initializer ifft ifft2d ifft3d igamma igammac imag initialize_all_tables
initialize_all_variables initialize_local_variables initialize_variables invert_permutation is_finite is_inf is_nan
is_numeric_tensor is_variable_initialized layers lbeta lgamma lin_space local_variables local_variables_initializer log
log1p log_sigmoid logging logical_xor make_template manip matching_files matrix_band_part matrix_determinant
matrix_diag matrix_diag_part matrix_inverse matrix_set_diag matrix_solve matrix_transpose matrix_triangular_solve mod
model_variables moving_average_variables multinomial op_scope orthogonal_initializer parse_example
parse_single_example parse_tensor placeholder placeholder_with_default polygamma py_func python_io qr quantize
random_crop random_gamma random_normal random_poisson random_shuffle random_uniform read_file real reciprocal
reduce_join regex_replace report_uninitialized_variables reset_default_graph reverse_v2 rint rsqrt scatter_add
scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub
scatter_update segment_max segment_mean segment_min segment_prod segment_sum self_adjoint_eig self_adjoint_eigvals
serialize_sparse serialize_tensor set_random_seed setdiff1d space_to_depth sparse_add sparse_concat
sparse_fill_empty_rows sparse_mask sparse_matmul sparse_merge sparse_placeholder sparse_reduce_sum sparse_reorder
sparse_reshape sparse_retain sparse_segment_mean sparse_segment_sum sparse_slice sparse_softmax sparse_split
sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense sparse_to_indicator sparse_transpose spectral
squared_difference string_join string_split string_strip string_to_hash_bucket string_to_hash_bucket_fast
string_to_number substr svd tables_initializer tensor_scatter_add tensor_scatter_update to_bfloat16 to_complex128
to_complex64 to_double to_float to_int32 to_int64 trace trainable_variables truncated_normal
truncated_normal_initializer uniform_unit_scaling_initializer unsorted_segment_max unsorted_segment_mean
unsorted_segment_min unsorted_segment_prod unsorted_segment_sum user_ops variable_axis_size_partitioner
variable_op_scope variable_scope variables_initializer variance_scaling_initializer verify_tensor_all_finite
wrap_function write_file zeta
"""
_MODULES = {
    "data": "make_initializable_iterator make_one_shot_iterator get_output_shapes get_output_types",
    "feature_column": "input_layer linear_model shared_embedding_columns",
    "graph_util": "convert_variables_to_constants extract_sub_graph remove_training_nodes",
    "image": "extract_image_patches resize_area resize_bicubic resize_bilinear resize_image_with_crop_or_pad "
             "resize_image_with_pad resize_images resize_nearest_neighbor transpose_image",
    "initializers": "uniform_unit_scaling variables",
    "io": "PaddingFIFOQueue QueueBase RandomShuffleQueue tf_record_iterator",
    "losses": "absolute_difference add_loss compute_weighted_loss cosine_distance get_losses get_regularization_loss "
              "get_regularization_losses get_total_loss hinge_loss log_loss mean_pairwise_squared_error "
              "sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy",
    "metrics": "accuracy auc average_precision_at_k false_negatives false_positives mean mean_cosine_distance mean_iou "
               "mean_per_class_accuracy mean_relative_error mean_tensor percentage_below precision precision_at_k "
               "recall recall_at_k root_mean_squared_error true_negatives true_positives",
    "nn": "bidirectional_dynamic_rnn conv2d_backprop_filter conv2d_backprop_input depthwise_conv2d_native dynamic_rnn "
          "fused_batch_norm log_uniform_candidate_sampler raw_rnn relu_layer rnn_cell "
          "softmax_cross_entropy_with_logits_v2 static_bidirectional_rnn static_rnn uniform_candidate_sampler "
          "xw_plus_b",
    "random": "get_seed multinomial set_random_seed",
    "sets": "set_difference set_intersection set_size set_union",
    "sparse": "matmul merge placeholder",
    "summary": "FileWriter Summary merge merge_all tensor_summary",
    "train": "AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer AdamOptimizer CheckpointSaverHook FtrlOptimizer "
             "GradientDescentOptimizer LoggingTensorHook MomentumOptimizer MonitoredSession MonitoredTrainingSession "
             "NanTensorHook NewCheckpointReader Optimizer ProximalAdagradOptimizer ProximalGradientDescentOptimizer "
             "QueueRunner RMSPropOptimizer Saver Scaffold Server SessionManager SessionRunArgs SessionRunHook "
             "SingularMonitoredSession StepCounterHook StopAtStepHook SummarySaverHook Supervisor "
             "SyncReplicasOptimizer add_queue_runner batch batch_join cosine_decay cosine_decay_restarts "
             "create_global_step "
             "exponential_decay export_meta_graph get_global_step get_or_create_global_step global_step "
             "import_meta_graph init_from_checkpoint input_producer inverse_time_decay limit_epochs "
             "linear_cosine_decay match_filenames_once maybe_batch natural_exp_decay noisy_linear_cosine_decay "
             "piecewise_constant piecewise_constant_decay polynomial_decay replica_device_setter shuffle_batch "
             "shuffle_batch_join slice_input_producer start_queue_runners string_input_producer summary_iterator "
             "warm_start write_graph",
}
TENSORFLOW_1 = (*_TOP.split(), *(f"{module}.{name}" for module, names in _MODULES.items() for name in names.split()))
