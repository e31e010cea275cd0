"""The id of nothing: of columns that must hold an id."""

from uuid import UUID

NIL = UUID(int=0)
