"""Every module of the laboratory, one after another: `python -m bench.truth --trials 400 --processes 2`."""

import importlib
import pkgutil

import bench.truth

# What the modules share.
SHARED = ("__main__", "traffic", "trials")


def main() -> None:
    for module in pkgutil.iter_modules(bench.truth.__path__):
        if module.name not in SHARED:
            importlib.import_module(f"bench.truth.{module.name}").main()


if __name__ == "__main__":
    main()
