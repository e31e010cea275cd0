"""Kinds of alert rules, a file each."""
