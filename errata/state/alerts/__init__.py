"""Alerts: people's channels and rules, firings, notices and messages."""
