"""Words of the page of limits."""

SCOPE_WORDS = {
    "organization": "Organization",
    "project": "Each project",
    "caller": "Each key, session or address",
    "email": "Each email address",
    "service": "Each node",
}
# Title and remedy by reason.
REASON_WORDS = {
    "rate_limited": (
        "Deliveries over the lines per minute",
        "Shippers deliver them again. Sample noisy events, or raise the limit.",
    ),
    "project_rate_limited": (
        "Deliveries over the limit of the project",
        "Shippers deliver them again. Sample noisy events, or raise the limit.",
    ),
    "service_rate_limited": (
        "Deliveries over the limit of the service",
        "Shippers deliver them again. Sample noisy events, or raise the limit.",
    ),
    "application_not_found": (
        "Lines with an unknown application key",
        "The key was revoked, or replaced more than 30 days ago.",
    ),
    "invalid_json": ("Lines that aren't JSON", "Another program writes to the log file."),
    "invalid_item": ("Lines that aren't valid items", "The shipper keeps them in rejected/ on their host."),
    "line_too_large": ("Lines over the size limit", "Send smaller payloads, or raise the limit."),
}
