"""Questions of alert rules, by receipt of events: one for each kind of rule.

A job asks about the last minute and a backtest about months, in the same way: first a light question finds
variants with matching events, then only candidates are examined event by event.
"""
