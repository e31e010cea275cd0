"""The projects of an organization."""
