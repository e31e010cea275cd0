"""Odd but acceptable input, after which everything must still build, add up and answer."""
