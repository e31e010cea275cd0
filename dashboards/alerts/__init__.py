"""Alerts of a project: rules, channels, messages."""
