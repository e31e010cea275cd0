"""Real SDKs of every language a package registry has, unmodified, through a real intake to a real service."""
