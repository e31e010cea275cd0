"""Alerts as they run: rules looked at by the watch, messages composed and sent."""
