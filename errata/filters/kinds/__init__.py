"""A file a kind of inbound filter, named by it; `errata/filters/registry.py` finds them."""
