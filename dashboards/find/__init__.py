"""Finding anything by its name."""
