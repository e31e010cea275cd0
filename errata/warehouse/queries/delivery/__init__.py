"""Deliveries of hosts, rows set aside, and disk space."""
