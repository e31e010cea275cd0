"""`python -m bench.truth`."""

from bench.truth import main

main()
