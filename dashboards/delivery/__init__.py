"""The delivery of log files."""
