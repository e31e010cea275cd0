"""One issue: what its page and its REST answers tell."""
