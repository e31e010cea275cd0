"""What people set up about alerts, what fired, and what is to be told to whom."""
