"""Uploaded source maps: where a script's map is, and what becomes of variants with it."""
