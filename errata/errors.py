"""Errors shared by the programs: facts as attributes, one stable `code` a class."""


class ErrataError(Exception):
    """Base of all errors of ours. `code` is a stable snake_case word, listed in docs/errors.md."""

    code = "internal_error"
