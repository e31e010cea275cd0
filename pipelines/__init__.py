"""Dagster: schedules the builds of marts, shows them, checks them. The only writer of errata_mart."""
