"""The relational store of account data that people manage: organizations, users, projects, keys."""

from errata.state.store import Store

__all__ = ["Store"]
