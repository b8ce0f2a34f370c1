"""Code shared by all sides that needs nothing but the standard library, and little of that.

The front of `serve` and the hook program answer before the rest of Memoria could be imported. What
they need lies here, and an import contract keeps it free of everything that takes time to load.
"""
