"""Settings of a project, a folder for each page."""
