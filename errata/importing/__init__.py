"""The import of another service's projects: its events first, then what people decided about its issues."""
