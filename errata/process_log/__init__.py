"""What the processes of the service print: text, or a JSON object a line."""
