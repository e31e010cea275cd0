"""Modules and templates that several areas use."""
