"""Syntaxes of configuration files: read as values, edited as text so that nothing else changes."""
