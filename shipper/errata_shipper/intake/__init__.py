"""The local end of any Sentry SDK: what it sends is in the day's log file before it is answered."""
