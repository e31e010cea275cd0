"""`errata doctor`: what is wrong and how to mend it. It makes, changes and migrates nothing."""
