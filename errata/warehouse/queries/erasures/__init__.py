"""Erasure of an event, an issue, a person or a project from the raw tables, in steps that can be repeated."""
