"""Statements: the kind of thing a text of the user's says, told by small classifiers and by rules.

A text is scored by its words and their order alone (`runs.py`), so that the answer is the same with
and without an embedder: the type of statement (`classifier.py`), and standing wishes
(`standing.py`). What is meant otherwise than it reads (`vetoes.py`) is neither.
"""
