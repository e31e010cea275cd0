"""What hosts delivered, what of it could not be built, and the room it takes."""
