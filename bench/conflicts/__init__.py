"""How statements meet: what must be believed after somebody has said two things in a row.

`cases.jsonl` holds a case a line, in English and Chinese, written before there was a resolver. Each
gives the turns, what a good model would propose for each user turn, and what must hold in the end.
Proposals refer to earlier memories by the label that an ADD carries; who plays a case puts the
real id in the label's place.

`paths.jsonl` holds cases of every write path, written before the paths were mended: what is stated
to `remember`, what rules make of plain sentences, what a scripted model proposes, what it rules at
night, and what is edited in a core file. Each is played through the library, with a question to
which the current wording must be the first answer.
"""

from bench.conflicts.cases import Case, Proposal, Said, Superseded, cases

__all__ = ["Case", "Proposal", "Said", "Superseded", "cases"]
