"""What does each stage of the ranking buy?

A data set is recorded once and asked of the whole product, then again with one stage switched off
at a time (`search_conversation_traces(…, without=[stage])`). What a row loses against the first is
what its stage contributes.

    python -m bench.ablation                 # LoCoMo
    python -m bench.ablation memorybank      # or cross-language, cmrc, foreign
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.ask import Outcome
from bench.command import Asker, measure, parser
from bench.data import LOCOMO, Conversation
from bench.product import ask_home, record
from bench.recall.cmrc import CMRC
from bench.recall.foreign import FOREIGN
from bench.recall.memorybank import OTHER_LANGUAGE, SAME_LANGUAGE

OFF = (
    "vectors", "text", "recount", "neighbours", "alike", "sessions", "trust", "speakers", "asking",
    "length", "time",
)  # fmt: skip
"""Stages of a search of the transcript; the others are of one of memories."""
_SETS = {
    "locomo": LOCOMO,
    "memorybank": SAME_LANGUAGE,
    "cross-language": OTHER_LANGUAGE,
    "cmrc": CMRC,
    "foreign": FOREIGN,
}


class Recorded:
    """A home in which the conversations are recorded when it is first asked."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def without(self, *stages: str) -> Asker:
        """A system that does without these stages."""
        return partial(self._ask, stages)

    async def _ask(
        self, stages: Sequence[str], conversations: Sequence[Conversation], done: Callable[[], None]
    ) -> list[Outcome]:
        if not any(self._home.iterdir()):
            await record(self._home, conversations)
        return await ask_home(self._home, conversations, done, stages)


def main(argv: Sequence[str] | None = None) -> int:
    """Ask a set of the product and of the product without each stage. 2 where it is not there."""
    options = parser("bench.ablation")
    options.add_argument(
        "dataset", choices=_SETS, nargs="?", default="locomo", help="what is asked"
    )
    arguments = options.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        recorded = Recorded(Path(home))
        systems = {"all": recorded.without()}
        systems |= {f"− {stage}": recorded.without(stage) for stage in OFF}
        name = f"bench.ablation {arguments.dataset}"
        return measure(name, systems, _SETS[arguments.dataset], arguments)


if __name__ == "__main__":
    sys.exit(main())
