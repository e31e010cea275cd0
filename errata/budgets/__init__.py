"""Performance budgets: what they limit, how they are evaluated on what real users saw, when they change."""
