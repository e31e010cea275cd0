"""Issues elsewhere: each tracker by its own documented API, one a file."""

from errata.trackers.connection import Connection
from errata.trackers.tracker import ExternalIssue, NewIssue, Tracker
from errata.trackers.trackers import TRACKERS, tracker_of

__all__ = ["TRACKERS", "Connection", "ExternalIssue", "NewIssue", "Tracker", "tracker_of"]
