"""What is told of page loads: metrics and filters, each described once."""
