"""Issues elsewhere: GitHub, GitLab and Jira, each by its own documented API."""

from errata.trackers.connection import Connection, Kind
from errata.trackers.tracker import ExternalIssue, NewIssue, Tracker
from errata.trackers.trackers import tracker_of

__all__ = ["Connection", "ExternalIssue", "Kind", "NewIssue", "Tracker", "tracker_of"]
