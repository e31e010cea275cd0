"""The performance of pages and API endpoints, a folder for each page."""
