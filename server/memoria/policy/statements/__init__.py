"""Statements: what a clause of the user says that lasts, told by a small classifier and by rules.

A clause is scored by its words and their order alone (`features.py`, `classifier.py`), so that the
same sentence gives the same memory whether or not an embedder is loaded. Rules (`vetoes.py`) have
the last word: what is meant otherwise than it reads becomes no memory.
"""

from memoria.policy.statements.read import read_clauses
from memoria.policy.statements.vetoes import find_draft, is_meant_otherwise

__all__ = ["find_draft", "is_meant_otherwise", "read_clauses"]
