"""Statements: what a clause of the user says that lasts, told by a small classifier and by rules.

A clause is scored by its words and their order alone (`features.py`, `classifier.py`), so that the
same sentence is told the same way whether or not an embedder is loaded. Rules (`vetoes.py`) have
the last word: what is meant otherwise than it reads states nothing.
"""

from memoria.policy.statements.read import classify_text, read_clauses
from memoria.policy.statements.vetoes import find_draft, is_meant_otherwise

__all__ = ["classify_text", "find_draft", "is_meant_otherwise", "read_clauses"]
