"""DeepSpeed's configuration files."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.configurations.deepspeed_config import read_deepspeed_config
from vcompat.sources.reading.document import parse_document

FILES = r"""
> {}
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 0 (ds.json, DeepSpeed's default)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
deepspeed.DeepSpeedConfig at ds.json: is_complete

> {"train_micro_batch_size_per_gpu": 2,
>  "gradient_accumulation_steps": 3,
>  "bf16": {"enabled": true},
>  "fp16": {"enabled": false},
>  "zero_optimization": {
>   "stage": 1,
>   "offload_optimizer": {"device": "cpu", "pin_memory": true},
>   "offload_param": {"device": "nvme"},
>   "overlap_comm": [1],
>   "reduce_bucket_size": "auto"
>  }}
deepspeed_accumulation_steps = 3 (ds.json:2:2)
deepspeed_auto = () (ds.json)
deepspeed_bf16 = True (ds.json:3:11)
deepspeed_fp16 = False (ds.json:4:11)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_micro_batch_size = 2 (ds.json:1:2)
deepspeed_overlap_comm ? ds.json:9:3: plan.deepspeed_overlap_comm is [1]; expected a flag
deepspeed_stage = 1 (ds.json:6:3)
optimizer_offload = 'cpu' (ds.json:7:25)
parameter_offload = 'nvme' (ds.json:8:21)
deepspeed.DeepSpeedConfig at ds.json: is_complete
- train_micro_batch_size_per_gpu = 2 by option at ds.json:1:2
- gradient_accumulation_steps = 3 by option at ds.json:2:2
- bf16 = COMPUTED by option at ds.json:3:2
- fp16 = COMPUTED by option at ds.json:4:2
- zero_optimization = COMPUTED by option at ds.json:5:2
deepspeed.DeepSpeedBF16Config at ds.json:3:2: is_complete
- enabled = True by option at ds.json:3:11
deepspeed.DeepSpeedFP16Config at ds.json:4:2: is_complete
- enabled = False by option at ds.json:4:11
deepspeed.DeepSpeedZeroConfig at ds.json:5:2: is_complete
- stage = 1 by option at ds.json:6:3
- offload_optimizer = COMPUTED by option at ds.json:7:3
- offload_param = COMPUTED by option at ds.json:8:3
- overlap_comm = COMPUTED by option at ds.json:9:3
- reduce_bucket_size = COMPUTED by option at ds.json:10:3
deepspeed.DeepSpeedZeroOffloadOptimizerConfig at ds.json:7:3: is_complete
- device = 'cpu' by option at ds.json:7:25
- pin_memory = True by option at ds.json:7:42
deepspeed.DeepSpeedZeroOffloadParamConfig at ds.json:8:3: is_complete
- device = 'nvme' by option at ds.json:8:21

> {"train_micro_batch_size_per_gpu": "auto",
>  "gradient_accumulation_steps": "auto",
>  "bf16": {"enabled": "auto"},
>  "fp16": {"enabled": "auto"}}
deepspeed_auto = ('deepspeed_micro_batch_size', 'deepspeed_accumulation_steps', 'deepspeed_bf16', 'deepspeed_fp16') (ds.json)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 0 (ds.json, DeepSpeed's default)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
deepspeed.DeepSpeedConfig at ds.json: is_complete
- train_micro_batch_size_per_gpu = COMPUTED by option at ds.json:1:2
- gradient_accumulation_steps = COMPUTED by option at ds.json:2:2
- bf16 = COMPUTED by option at ds.json:3:2
- fp16 = COMPUTED by option at ds.json:4:2
deepspeed.DeepSpeedBF16Config at ds.json:3:2: is_complete
- enabled = COMPUTED by option at ds.json:3:11
deepspeed.DeepSpeedFP16Config at ds.json:4:2: is_complete
- enabled = COMPUTED by option at ds.json:4:11

> {"bf16": {"auto_cast": true},
>  "fp16": true,
>  "zero_optimization": 3}
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json:1:2, DeepSpeed's default)
deepspeed_fp16 = False (ds.json:2:2, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage ? ds.json:3:2: zero_optimization is not a table
optimizer_offload ? ds.json:3:2: zero_optimization is not a table
parameter_offload ? ds.json:3:2: zero_optimization is not a table
deepspeed.DeepSpeedConfig at ds.json: is_complete
- bf16 = COMPUTED by option at ds.json:1:2
- fp16 = True by option at ds.json:2:2
- zero_optimization = 3 by option at ds.json:3:2
deepspeed.DeepSpeedBF16Config at ds.json:1:2: is_complete
- auto_cast = True by option at ds.json:1:11

> {"train_micro_batch_size_per_gpu": "two",
>  "gradient_accumulation_steps": true,
>  "bf16": {"enabled": 1},
>  "zero_optimization": {
>   "stage": "three",
>   "offload_optimizer": "cpu",
>   "offload_param": {"device": 1}}}
deepspeed_accumulation_steps ? ds.json:2:2: plan.deepspeed_accumulation_steps is True; expected a number
deepspeed_auto = () (ds.json)
deepspeed_bf16 ? ds.json:3:11: plan.deepspeed_bf16 is 1; expected a flag
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_micro_batch_size ? ds.json:1:2: plan.deepspeed_micro_batch_size is 'two'; expected a number
deepspeed_stage ? ds.json:5:3: plan.deepspeed_stage is 'three'; expected a number
optimizer_offload = 'none' (ds.json)
parameter_offload ? ds.json:7:21: plan.parameter_offload is 1; expected a text
deepspeed.DeepSpeedConfig at ds.json: is_complete
- train_micro_batch_size_per_gpu = 'two' by option at ds.json:1:2
- gradient_accumulation_steps = True by option at ds.json:2:2
- bf16 = COMPUTED by option at ds.json:3:2
- zero_optimization = COMPUTED by option at ds.json:4:2
deepspeed.DeepSpeedBF16Config at ds.json:3:2: is_complete
- enabled = 1 by option at ds.json:3:11
deepspeed.DeepSpeedZeroConfig at ds.json:4:2: is_complete
- stage = 'three' by option at ds.json:5:3
- offload_optimizer = 'cpu' by option at ds.json:6:3
- offload_param = COMPUTED by option at ds.json:7:3
deepspeed.DeepSpeedZeroOffloadParamConfig at ds.json:7:3: is_complete
- device = 1 by option at ds.json:7:21

> {"_comment": 1, "//": 2, "Steps_per_print": 3, "zero_optimization": {"_comment": 4}}
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 0 (ds.json, DeepSpeed's default)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
deepspeed.DeepSpeedConfig at ds.json: is_complete
- Steps_per_print = 3 by option at ds.json:1:26
- zero_optimization = COMPUTED by option at ds.json:1:48
deepspeed.DeepSpeedZeroConfig at ds.json:1:48: is_complete
- _comment = 4 by option at ds.json:1:70

> {"zero_optimization": {"stage": 0, "offload_param": {"device": null, "nvme_path": "/a"}}}
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 0 (ds.json:1:24)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json:1:54)
deepspeed.DeepSpeedConfig at ds.json: is_complete
- zero_optimization = COMPUTED by option at ds.json:1:2
deepspeed.DeepSpeedZeroConfig at ds.json:1:2: is_complete
- stage = 0 by option at ds.json:1:24
- offload_param = COMPUTED by option at ds.json:1:36
deepspeed.DeepSpeedZeroOffloadParamConfig at ds.json:1:36: is_complete
- device = None by option at ds.json:1:54
- nvme_path = '/a' by option at ds.json:1:70

> {"zero_optimization": true}
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage ? ds.json:1:2: zero_optimization is not a table
optimizer_offload ? ds.json:1:2: zero_optimization is not a table
parameter_offload ? ds.json:1:2: zero_optimization is not a table
deepspeed.DeepSpeedConfig at ds.json: is_complete
- zero_optimization = True by option at ds.json:1:2
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(FILES)])
def test_a_file_states_deepspeed_s_settings_and_the_keys_of_its_classes(text: str, expected: list[str]) -> None:
    assert told_part(read_deepspeed_config(parse_document("dir/ds.json", text))) == expected
