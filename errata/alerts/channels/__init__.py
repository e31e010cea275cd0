"""The kinds of channels, one a file."""
