"""Does the verbatim record give back the turns that answer a question about a long conversation?

LoCoMo (A. Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents",
2024): conversations of several hundred turns over months, and questions that name the turns
holding their answer. Every question goes through `search_conversation_traces` as a client would
ask it; nothing about the question but its words is known to the search.

    python -m bench.locomo
"""

import sys
from collections.abc import Sequence

from bench.data import LOCOMO
from bench.systems import measure_record, record_parser


def main(argv: Sequence[str] | None = None) -> int:
    """Ask every question and print what was found. 2 where the set is not there."""
    name = "bench.locomo"
    return measure_record(name, LOCOMO, record_parser(name).parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
