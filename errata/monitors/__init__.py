"""Monitors of scheduled jobs: their schedules, and the states of their runs."""
