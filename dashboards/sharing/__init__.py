"""What a share link shows, to whoever has it."""
