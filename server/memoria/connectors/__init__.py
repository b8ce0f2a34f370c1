"""Connectors: what knows other programs. Each folder is one kind of them."""
