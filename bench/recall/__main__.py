"""The command line: which set is asked, of Memoria and of plain BM25 in the same run.

python -m bench.recall cmrc             # Chinese passages
python -m bench.recall memorybank       # marked questions, in the language of the chat
python -m bench.recall cross-language   # marked questions, in the other language
python -m bench.recall longmemeval      # sessions of haystacks
python -m bench.recall foreign          # what another tenant could answer: silence is right
"""

import sys
from collections.abc import Sequence

from bench.command import measure, parser
from bench.floor import ask_floor
from bench.product import ask_memoria
from bench.recall.cmrc import CMRC
from bench.recall.foreign import FOREIGN
from bench.recall.longmemeval import LONGMEMEVAL
from bench.recall.memorybank import OTHER_LANGUAGE, SAME_LANGUAGE

_SETS = {
    "cmrc": CMRC,
    "memorybank": SAME_LANGUAGE,
    "cross-language": OTHER_LANGUAGE,
    "longmemeval": LONGMEMEVAL,
    "foreign": FOREIGN,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Ask every question of a set and print what was found. 2 where the set is not there."""
    told = parser("bench.recall")
    told.add_argument("dataset", choices=_SETS, help="what is asked")
    arguments = told.parse_args(argv)
    systems = {"memoria": ask_memoria, "floor": ask_floor}
    return measure(
        f"bench.recall {arguments.dataset}", systems, _SETS[arguments.dataset], arguments
    )


if __name__ == "__main__":
    sys.exit(main())
