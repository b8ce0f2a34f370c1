"""Who is meant: questions about one person beside facts of others.

`cases.jsonl` holds 40 questions, half of them English and half Chinese, written before the rules
that read possessives and kin. Each has its own small memory: the fact of the person asked about and
the same kind of fact of others, as memories for the first level and as turns for the second. In six
of them the right person's fact is not on record, and the right answer is none.
"""

from bench.kin.cases import KinCase, KinFact, kin_cases

__all__ = ["KinCase", "KinFact", "kin_cases"]
