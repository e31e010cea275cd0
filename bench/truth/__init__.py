"""The laboratory: each statistical answer of the product in worlds whose truth is known.

`python -m bench.truth` runs every module, `python -m bench.truth.release_impact --trials 400` one.
"""
