"""Monitors of a project: scheduled jobs, and how their runs went."""
