"""Every mart: descriptions of those of SQL (registry.py), and the functions that compute the others."""
