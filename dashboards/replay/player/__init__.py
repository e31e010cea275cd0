"""The document in which recorded pages are shown: of an origin of its own, without any way to the network."""
