"""What users wrote."""
