"""A crowd of error events in a real warehouse: real ones multiplied inside it, with ids and times changed."""
