"""The laboratory: each statistical answer of the product in worlds whose truth is known.

`python -m bench.truth --trials 400 --processes 2` runs every module, `python -m bench.truth.change_points`
one.
"""

import importlib
import pkgutil

# What the modules share.
SHARED = ("__main__", "trials")


def main() -> None:
    for module in pkgutil.iter_modules(__path__):
        if module.name not in SHARED:
            importlib.import_module(f"bench.truth.{module.name}").main()
