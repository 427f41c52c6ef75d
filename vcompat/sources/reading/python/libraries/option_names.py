"""Options of TRL's command lines that take values, beside the settings that are facts.

The fields of `GRPOConfig`, `RLOOConfig`, `SFTConfig`, `ModelConfig` and the script arguments of TRL 1.16.0 that are not
flags; a test compares them with the classes. A word after one of them that is not known is its value, and opens nothing
else.
"""

from __future__ import annotations

#: Options that take one number.
NUMBERS = frozenset(
    "adam_beta1 adam_beta2 adam_epsilon beta data_seed dataloader_num_workers dataloader_prefetch_factor "
    "dataset_num_proc ddp_bucket_cap_mb ddp_timeout delta entropy_coef entropy_coef_delta entropy_coef_max "
    "entropy_coef_min entropy_target epsilon epsilon_high eval_accumulation_steps eval_delay eval_steps "
    "generation_batch_size gradient_accumulation_steps label_smoothing_factor learning_rate local_rank "
    "logging_steps lora_alpha lora_dropout lora_r max_completion_length max_grad_norm max_length max_steps "
    "max_tool_calling_iterations min_p neftune_noise_alpha num_completions_to_print num_generations "
    "num_generations_eval num_iterations num_train_epochs off_policy_mask_threshold per_device_eval_batch_size "
    "per_device_train_batch_size ref_model_mixup_alpha ref_model_sync_steps repetition_penalty "
    "router_aux_loss_coef sapo_temperature_neg sapo_temperature_pos save_steps save_total_limit seed "
    "steps_per_generation temperature top_entropy_quantile top_k top_p torch_empty_cache_steps vespo_k_neg "
    "vespo_k_pos vespo_lambda_neg vespo_lambda_pos vllm_gpu_memory_utilization vllm_group_port "
    "vllm_importance_sampling_cap vllm_importance_sampling_clip_max vllm_importance_sampling_clip_min "
    "vllm_max_model_length vllm_server_port vllm_server_timeout vllm_tensor_parallel_size warmup_steps "
    "weight_decay".split()
)
#: Other options that take values.
OTHERS = frozenset(
    "accelerator_config attn_implementation bnb_4bit_quant_storage bnb_4bit_quant_type cache_implementation "
    "chat_template_kwargs chat_template_path dataloader_multiprocessing_context dataset_config dataset_kwargs "
    "dataset_name dataset_test_split dataset_text_field dataset_train_split ddp_backend debug deepspeed dtype "
    "eos_token eval_strategy fsdp fsdp_config generation_kwargs gradient_checkpointing_kwargs hub_model_id "
    "hub_revision hub_strategy hub_token importance_sampling_level include_for_metrics "
    "include_num_input_tokens_seen label_names length_column_name liger_kernel_config log_completions_hub_repo "
    "log_level log_level_replica logging_strategy lora_modules_to_save lora_target_modules "
    "lora_target_parameters lora_task_type loss_type lr_scheduler_kwargs lr_scheduler_type "
    "metric_for_best_model model_init_kwargs model_name_or_path model_revision multi_objective_aggregation "
    "optim optim_args optim_target_modules output_dir packing_strategy pad_to_multiple_of pad_token "
    "parallelism_config project report_to resume_from_checkpoint reward_clip_range reward_funcs "
    "reward_model_name_or_path reward_weights run_name save_strategy scale_rewards torch_compile_backend "
    "torch_compile_mode trackio_bucket_id trackio_space_id trackio_static_space_id train_sampling_strategy "
    "transformers_continuous_batching_config truncation_mode vllm_importance_sampling_mode vllm_mode "
    "vllm_model_impl vllm_server_base_url vllm_server_host vllm_structured_outputs_regex".split()
)
VALUED = NUMBERS | OTHERS
#: Options that are flags, with a value or without.
FLAGS = frozenset(
    "activation_offloading assistant_only_loss auto_find_batch_size average_tokens_across_devices "
    "batch_eval_metrics bf16 bf16_full_eval cast_lm_head_to_fp32 completion_only_loss dataloader_drop_last "
    "dataloader_in_order dataloader_persistent_workers dataloader_pin_memory dataset_streaming "
    "ddp_broadcast_buffers ddp_find_unused_parameters ddp_static_graph disable_dropout disable_tqdm do_eval "
    "do_predict do_train ds3_gather_for_generation enable_jit_checkpoint eval_do_concat_batches eval_on_start "
    "eval_packing eval_use_gather_object fp16 fp16_full_eval full_determinism gradient_checkpointing "
    "greater_is_better hub_always_push hub_private_repo ignore_bias_buffers ignore_data_skip "
    "load_best_model_at_end load_in_4bit load_in_8bit log_completions log_multimodal log_on_each_node "
    "log_unique_prompts logging_first_step logging_nan_inf_filter mask_truncated_completions "
    "normalize_advantages packing padding_free prediction_loss_only push_to_hub remove_unused_columns "
    "restore_callback_states_from_checkpoint save_on_each_node save_only_model shuffle_dataset "
    "skip_memory_metrics sync_ref_model tf32 torch_compile trust_remote_code use_adaptive_entropy "
    "use_bias_correction_kl use_bnb_nested_quant use_cache use_cpu use_dora use_liger_kernel use_peft "
    "use_rslora use_transformers_continuous_batching use_transformers_paged use_vllm vllm_enable_sleep_mode "
    "vllm_importance_sampling_correction".split()
)
