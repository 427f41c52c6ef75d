from dataclasses import dataclass, field

from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser, get_peft_config


@dataclass
class GRPOScriptArguments(ScriptArguments):
    reward_funcs: list[str] = field(default_factory=lambda: ["accuracy", "format"])
    cosine_max_len: int = 1000


@dataclass
class OpenGRPOConfig(GRPOConfig):
    benchmarks: list[str] = field(default_factory=lambda: [])
    overwrite_hub_revision: bool = False


def main(script_args, training_args, model_args):
    training_args.model_init_kwargs = {"dtype": model_args.dtype, "use_cache": not training_args.gradient_checkpointing}
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=[len],
        args=training_args,
        peft_config=get_peft_config(model_args),
    )
    trainer.train()


if __name__ == "__main__":
    parser = TrlParser((GRPOScriptArguments, OpenGRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config())
