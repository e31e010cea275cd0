"""Why it cannot be told whether a budget is kept, or what a window says."""

from enum import StrEnum


class Reason(StrEnum):
    NONE = ""
    NOT_BUILT = "not_built"
    BUILD_TOO_OLD = "build_too_old"
    FEW_SAMPLES = "few_samples"
    FEW_USERS = "few_users"
    WITHIN_CHANCE = "within_chance"
    FEW_WINDOWS = "few_windows"
    UNENDED_LOADS = "unended_loads"
    FAILED = "failed"
