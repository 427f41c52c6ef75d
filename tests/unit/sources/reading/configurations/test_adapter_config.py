"""PEFT's adapter_config.json."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.configurations.adapter_config import read_adapter_config
from vcompat.sources.reading.document import parse_document

FILES = r"""
> {}
modules_to_save = () (adapter_config.json)
peft = True (adapter_config.json)

> {"peft_type": "LORA",
>  "r": 4,
>  "target_modules": ["q", "v"],
>  "modules_to_save": ["lm_head"],
>  "base_model_name_or_path": "a/b"}
lora_rank = 4 (adapter_config.json:2:2)
lora_targets = ('q', 'v') (adapter_config.json:3:2)
model = 'a/b' (adapter_config.json:5:2)
modules_to_save = ('lm_head',) (adapter_config.json:4:2)
peft = True (adapter_config.json:1:2)

> {"peft_type": "LORA", "r": "four",
>  "target_modules": "q|v",
>  "modules_to_save": null,
>  "base_model_name_or_path": null}
modules_to_save = () (adapter_config.json:3:2)
peft = True (adapter_config.json:1:2)

> {"peft_type": "IA3", "r": 4,
>  "target_modules": ["q"],
>  "modules_to_save": []}
modules_to_save = () (adapter_config.json:3:2)
peft = True (adapter_config.json:1:2)

> {"peft_type": "LORA"}
modules_to_save = () (adapter_config.json)
peft = True (adapter_config.json:1:2)
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(FILES)])
def test_a_file_states_the_adapter_and_its_model(text: str, expected: list[str]) -> None:
    assert told_part(read_adapter_config(parse_document("dir/adapter_config.json", text))) == expected
