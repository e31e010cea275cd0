"""From minified frames to original ones, by source maps that were uploaded."""
