"""Reports of a project, and those sent every week."""
