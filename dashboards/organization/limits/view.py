"""Words of the page of limits."""

SCOPE_WORDS = {
    "organization": "Organization",
    "project": "Each project",
    "caller": "Each key, session or address",
    "email": "Each email address",
    "service": "Each node",
}
