"""`errata up`: the whole service on one machine, supervised."""
