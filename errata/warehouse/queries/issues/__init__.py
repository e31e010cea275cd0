"""The issues of projects: the list, and what jobs ask of all of them."""
