"""What all sides share and a bare Python can do: the standard library, and little of that.

The front of `serve` and the hook program answer before the rest of Memoria could be imported. What
they need lies here, and an import contract keeps it free of everything that takes time to load.
"""
