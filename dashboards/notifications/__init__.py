"""What concerns the signed-in user."""
