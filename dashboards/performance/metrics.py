from errata.performance.metric import SHOWN, Unit

# Those without a unit come last.
TREND_METRICS = {one.name: one.title for one in sorted(SHOWN, key=lambda one: one.unit is not Unit.MS)}
TABLE_METRICS = tuple(one for one in SHOWN if one.is_in_table)
