"""The address that a request comes from, by which visits are limited."""

from fastapi import Request


def client_of(request: Request) -> str:
    return request.client.host if request.client else ""
