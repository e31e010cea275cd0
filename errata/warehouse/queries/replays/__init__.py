"""Replays of sessions: lists, one of them, and its recorded segments."""
