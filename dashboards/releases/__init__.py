"""Releases of a project, and what each changed."""
