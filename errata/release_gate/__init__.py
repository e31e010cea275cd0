"""The release gate of continuous integration: what it says of a release, and where it says it."""
