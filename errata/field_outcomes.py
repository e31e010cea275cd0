"""Outcomes in the words of the field: those that Sentry's Relay reports (docs/usage.md)."""

from enum import StrEnum


class FieldOutcome(StrEnum):
    """Outcome of data that was or would have been sent."""

    ACCEPTED = "accepted"
    FILTERED = "filtered"
    RATE_LIMITED = "rate_limited"
    INVALID = "invalid"
    ABUSE = "abuse"
    CLIENT_DISCARD = "client_discard"
    CARDINALITY_LIMITED = "cardinality_limited"


OTHER = "other_"
# Of items of accepted lines that are not stored.
LEFT_OUT = {
    "filtered": FieldOutcome.FILTERED,
    "erased": FieldOutcome.FILTERED,
    "too_old": FieldOutcome.INVALID,
    "nothing_to_store": FieldOutcome.INVALID,
    "not_stored_yet": FieldOutcome.INVALID,
    "too_many_monitors": FieldOutcome.CARDINALITY_LIMITED,
    "minidump_refused": FieldOutcome.INVALID,
}
OUTCOMES = {
    **LEFT_OUT,
    "value_out_of_bounds": FieldOutcome.INVALID,
    "invalid_log": FieldOutcome.INVALID,
    "too_many_logs": FieldOutcome.INVALID,
    "invalid_json": FieldOutcome.INVALID,
    "invalid_item": FieldOutcome.INVALID,
    "line_too_large": FieldOutcome.INVALID,
    "application_not_found": FieldOutcome.INVALID,
    "invalid_api_key": FieldOutcome.INVALID,
    "rate_limited": FieldOutcome.RATE_LIMITED,
    "project_rate_limited": FieldOutcome.RATE_LIMITED,
    "service_rate_limited": FieldOutcome.RATE_LIMITED,
    "spike_rate_limited": FieldOutcome.RATE_LIMITED,
    "payload_limited": FieldOutcome.RATE_LIMITED,
    "disk_full": FieldOutcome.ABUSE,
    "client_discard": FieldOutcome.CLIENT_DISCARD,
}


def field_outcome(outcome: str) -> FieldOutcome:
    """The field's word for an outcome of the ledger; names stored as (other) are `cardinality_limited`."""
    if outcome.startswith(OTHER):
        return FieldOutcome.CARDINALITY_LIMITED
    return OUTCOMES.get(outcome, FieldOutcome.INVALID)
