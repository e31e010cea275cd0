"""Every mart: what the builder must know of those of SQL, and how the others are computed."""
