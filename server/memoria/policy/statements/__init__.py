"""Statements: what kind of thing a text of the user's says, told by small classifiers and by rules.

A text is scored by its words and their order alone (`runs.py`), so that it is told the same way
whether or not an embedder is loaded: what type of statement it is (`classifier.py`), and whether it
is a standing wish (`standing.py`). What is meant otherwise than it reads (`vetoes.py`) is neither.
"""
