"""Sources: full text, vectors, the graph and the newest, each asked by itself.

`gather` asks them all and reports of each whether it served.
"""
