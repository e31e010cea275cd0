"""Alerts on issues: what rules look for, how it is told, and how it is sent."""
