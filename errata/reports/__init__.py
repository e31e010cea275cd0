"""Answers drawn for people: charts, and what is printed."""
