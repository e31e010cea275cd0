"""One page a module: read the address, ask, hand the answer to a template."""
