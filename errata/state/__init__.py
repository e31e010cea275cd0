"""The relational store of account data that people manage: organizations, users, projects, keys."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errata.state.store import Store

__all__ = ["Store"]


def __getattr__(name: str) -> Any:
    """All repositories, loaded when asked for: the pipelines need one, and not what others load."""
    if name != "Store":
        raise AttributeError(name)
    from errata.state.store import Store

    return Store
