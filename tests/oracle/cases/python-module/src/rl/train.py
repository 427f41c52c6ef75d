import argparse

from trl import GRPOTrainer

from .settings import build


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    GRPOTrainer(model="a/b", args=build(options.fast), reward_funcs=len).train()


if __name__ == "__main__":
    main()
