"""The client for a kind of tracker."""

from errata.outgoing import Outgoing
from errata.trackers.connection import Connection, Kind
from errata.trackers.github import GitHub
from errata.trackers.gitlab import GitLab
from errata.trackers.jira import Jira
from errata.trackers.tracker import Tracker

CLIENTS: dict[Kind, type[Tracker]] = {Kind.GITHUB: GitHub, Kind.GITLAB: GitLab, Kind.JIRA: Jira}


def tracker_of(connection: Connection, outgoing: Outgoing) -> Tracker:
    return CLIENTS[connection.kind](connection, outgoing)
