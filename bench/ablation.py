"""What does each stage of the ranking buy?

A data set is recorded once and asked of the whole product, then again with one stage switched off
at a time (`search_conversation_traces(…, without=[stage])`). What a row loses against the first is
what its stage contributes.

    python -m bench.ablation                 # LoCoMo
    python -m bench.ablation memorybank      # or beam, memdaily, cross-language, cmrc, foreign
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.ask import Outcome
from bench.command import Asker, measure, parser
from bench.data import LOCOMO, Conversation
from bench.homes import provide_home
from bench.product import ask_home
from bench.recall.beam import BEAM
from bench.recall.cmrc import CMRC
from bench.recall.foreign import FOREIGN
from bench.recall.memdaily import MEMDAILY
from bench.recall.memorybank import OTHER_LANGUAGE, SAME_LANGUAGE

OFF = (
    "vectors", "text", "recount", "neighbours", "alike", "sessions", "trust", "speakers", "roles",
    "asking", "length", "time",
)  # fmt: skip
"""Stages of a search of the transcript; the others are of one of memories."""
_SETS = {
    "locomo": LOCOMO,
    "beam": BEAM,
    "memdaily": MEMDAILY,
    "memorybank": SAME_LANGUAGE,
    "cross-language": OTHER_LANGUAGE,
    "cmrc": CMRC,
    "foreign": FOREIGN,
}


def without(*stages: str, keep: Path | None) -> Asker:
    """A system that does without these stages."""

    async def run(conversations: Sequence[Conversation], done: Callable[[], None]) -> list[Outcome]:
        async with provide_home(conversations, keep) as home:
            return await ask_home(home, conversations, done, stages)

    return run


def main(argv: Sequence[str] | None = None) -> int:
    """Ask a set of the product and of the product without each stage. 2 where it is not there."""
    options = parser("bench.ablation")
    options.add_argument(
        "dataset", choices=_SETS, nargs="?", default="locomo", help="what is asked"
    )
    arguments = options.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as folder:
        keep = arguments.keep or Path(folder)
        systems = {"all": without(keep=keep)}
        systems |= {f"− {stage}": without(stage, keep=keep) for stage in OFF}
        name = f"bench.ablation {arguments.dataset}"
        return measure(name, systems, _SETS[arguments.dataset], arguments)


if __name__ == "__main__":
    sys.exit(main())
