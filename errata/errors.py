"""Errors shared by the programs: facts as attributes, one stable `code` a class."""

from collections.abc import Sequence


class ErrataError(Exception):
    """Base of all errors of ours. `code` is a stable snake_case word, listed in docs/errors.md. Of one that
    `is_final`, a retry is useless until somebody changes something."""

    code = "internal_error"
    is_final = False


class UnknownSettings(ErrataError):
    """The environment holds variables with our prefix that name no setting."""

    code = "unknown_settings"
    is_final = True

    def __init__(self, names: Sequence[str], suggestions: Sequence[str]) -> None:
        meant = f" Did you mean {', '.join(suggestions)}?" if suggestions else ""
        super().__init__(f"Unknown settings: {', '.join(names)}.{meant}")
        self.names = tuple(names)
        self.suggestions = tuple(suggestions)


class InvalidSettings(ErrataError):
    """A setting is missing or out of its bounds."""

    code = "invalid_settings"
    is_final = True

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("Missing or invalid settings: " + "; ".join(problems))
        self.problems = tuple(problems)


class InvalidParameter(ErrataError):
    """A value given from outside is not one that can be used."""

    code = "invalid_parameter"

    def __init__(self, parameter: str, problem: str) -> None:
        super().__init__(f"{parameter}: {problem}")
        self.parameter = parameter
        self.problem = problem


class RateLimited(ErrataError):
    code = "rate_limited"

    def __init__(self, retry_after_seconds: int, shown_at: str = "", limit: str = "") -> None:
        parts = ["Rate Limited", f": {limit}" if limit else ""]
        parts.append(f"{';' if limit else ':'} see the limits at {shown_at}" if shown_at else "")
        super().__init__("".join(parts))
        self.retry_after_seconds = retry_after_seconds
        self.limit = limit
        self.shown_at = shown_at
