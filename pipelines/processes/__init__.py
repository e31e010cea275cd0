"""One process that has loaded the definitions; the daemon and runs are forked from it."""
