"""Sources: full text, vectors, the graph and the calendar, each asked by itself.

`gather` asks all sources and reports of each whether it served.
"""
