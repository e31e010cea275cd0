"""What upload tools of the Sentry SDKs (sentry-cli and the bundlers' plugins) ask of a server.

Paths, methods and fields are theirs; seen of sentry-cli 2.58 and 3.8. Only access tokens for uploads are let
in, and the token decides the project: an organization in a path may have any name.
"""
