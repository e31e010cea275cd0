"""Server-rendered pages. They read through errata.warehouse.queries; their buttons call the API."""
