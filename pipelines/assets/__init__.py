"""Dagster's assets: one for each mart, with its checks."""
