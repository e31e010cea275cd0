"""Identified users of a project: the people whom errors happen to."""
