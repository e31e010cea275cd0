"""One issue: the contents of its page and its REST responses."""
