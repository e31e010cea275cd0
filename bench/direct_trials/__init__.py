"""What becomes of events that were acknowledged, whatever happens to the service that acknowledged them.

`python -m bench.direct_trials {outage,outage_and_kills,full_disk,kills} [--seconds N] [--rate N]`; with
`--rival VENV`, an environment that has Bugsink and gunicorn, the same events are sent to Bugsink.
"""
