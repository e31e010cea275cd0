"""Requests to addresses that people type in: webhooks, issue trackers, mail servers."""

from errata.outgoing.client import Outgoing, Response
from errata.outgoing.policy import Policy

__all__ = ["Outgoing", "Policy", "Response"]
