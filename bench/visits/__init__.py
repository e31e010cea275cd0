"""Weeks of page views in a real warehouse: captured ones multiplied inside it, with ids, times and pages changed."""
