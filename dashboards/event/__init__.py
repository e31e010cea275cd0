"""An event out of its payload, as the page of an issue and a shared link show it."""
