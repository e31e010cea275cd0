"""What the service tells a Prometheus: counts and times of its processes, and the state that they share."""
