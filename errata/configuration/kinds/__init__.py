"""The kinds of configuration; `errata/configuration/registry.py` has their order."""
