"""Names of services that no application key can have, since theirs have no parentheses."""

NO_SERVICE = "(none)"
"""In parameters: keys without a service, whose rows have an empty one."""
SEVERAL_SERVICES = "(several)"
"""In the delivery ledger: a batch or log file with lines of more than one service."""
