import sentry_sdk


def leave_untraced() -> None:
    """Envelopes are no traffic of the application."""
    transaction = sentry_sdk.get_current_scope().transaction
    if transaction is not None:
        transaction.sampled = False
