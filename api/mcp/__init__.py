"""The door of agents: tools by the Model Context Protocol, each of which asks the REST API."""
