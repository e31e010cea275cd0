"""Promises of the statistics measured in worlds whose truth is known."""
