"""The relational store of what people decide about accounts: organizations, users, projects, keys."""

from errata.state.store import Store

__all__ = ["Store"]
