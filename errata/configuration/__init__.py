"""Configuration as code: a YAML file of projects, people, rules and channels, and what it changes."""
