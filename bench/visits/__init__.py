"""Weeks of page views in a real warehouse: captured ones multiplied, with other ids, times and pages."""
