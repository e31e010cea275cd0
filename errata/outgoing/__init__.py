"""Requests to addresses that people type in: webhooks, issue trackers, mail servers."""

from errata.outgoing.client import Answer, Outgoing
from errata.outgoing.policy import Policy

__all__ = ["Answer", "Outgoing", "Policy"]
