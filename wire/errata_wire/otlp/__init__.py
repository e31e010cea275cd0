"""OpenTelemetry's spans and log records as items of the Sentry protocol.

The protocol is OTLP/HTTP (opentelemetry.io/docs/specs/otlp); names of attributes are those of the semantic
conventions, and former ones that SDKs still send. Needs the extra `otlp`, but for `response`.
"""
