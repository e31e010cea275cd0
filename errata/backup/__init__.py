"""Backup and restore of the warehouse and the state store."""
