"""Secrets: finders of keys, passwords and tokens in a text."""
