"""How statements meet: what must be believed after somebody has said two things in a row.

`cases.jsonl` holds a case a line, in English and Chinese, written before there was a resolver. Each
gives the turns, what a good model would propose for each user turn, and what must hold in the end.
Proposals refer to earlier memories by the label that an ADD carries; who plays a case puts the
real id in the label's place.
"""

from bench.conflicts.cases import Case, Proposal, Said, Superseded, cases

__all__ = ["Case", "Proposal", "Said", "Superseded", "cases"]
