"""Questions about identified users: the people whom errors happen to, not the accounts of Errata."""
