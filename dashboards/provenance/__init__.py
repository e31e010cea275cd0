"""How figures are computed."""
