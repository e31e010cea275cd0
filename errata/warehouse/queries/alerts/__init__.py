"""What rules of alerts fire for, by when events were received: a question a kind.

Each is asked of the last minute by a job and of months by a backtest, in the same way: first which
variants had matching events at all, a light question; then only what may fire is looked at event by event.
"""
