"""Configuration files as text: read as values, edited as text, so that nothing else changes."""
