"""Notes that people write on charts of time."""
