"""What would make pages quicker, by what real page loads measured."""
