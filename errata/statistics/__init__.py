"""What may be said of two sets of measurements, and how sure it is.

`comparison.compare` holds two releases beside each other on the same strata; `interim_analyses` says when
that is done, so that it holds while data still arrive; `discovery` keeps the share of false finds among many;
`proportion` is for shares such as crash-free sessions; `verdict` puts it into words. docs/releases.md says
how to read what comes out.
"""
