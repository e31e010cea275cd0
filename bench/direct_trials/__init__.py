"""What becomes of events that were acknowledged, whatever happens to the service that acknowledged them.

`python -m bench.direct_trials {outage,full_disk,kills} [--seconds N] [--rate N] [--workers N]`; with
`--rival VENV`, the environment that has Bugsink and gunicorn, the same events are sent to Bugsink instead.
"""
