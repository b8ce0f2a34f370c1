"""The command line: which set is asked, of Memoria and of plain full-text search in the same run.

python -m bench.recall all              # every set at both levels, in one table
python -m bench.recall beam             # long chats of a user and an assistant, by type
python -m bench.recall memdaily         # what a user told of their days, in Chinese
python -m bench.recall madial           # remarks that something told bears on
python -m bench.recall cmrc             # Chinese passages
python -m bench.recall memorybank       # marked questions, in the language of the chat
python -m bench.recall cross-language   # marked questions, in the other language
python -m bench.recall longmemeval      # sessions of haystacks
python -m bench.recall foreign          # what another tenant could answer: silence is right
python -m bench.recall linked           # an invented world, asked of the first level
python -m bench.recall walks            # invented histories, what is beyond whom a question names
python -m bench.recall queries          # what other wordings of a question bring
python -m bench.recall observations     # what was concluded from LoCoMo, asked of the first level
"""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.command import Asker, SheetMaker, measure
from bench.nearest import ask_nearest
from bench.recall.beam import BEAM
from bench.recall.every import measure_all
from bench.recall.sets import CONCLUSIONS, FIRST_LEVEL, RECORDS
from bench.recall.wordings import measure_wordings
from bench.sheets import compare_systems, tell_sides
from bench.systems import NO_FLOORS, measure_record, record_parser

_EVERY, _QUERIES = "all", "queries"
_MAKERS: Mapping[str, Sequence[SheetMaker]] = {
    "beam": (partial(compare_systems, slices=BEAM.slices), tell_sides)
}
"""What is shown of a set beside its figures."""
_FLOORS: Mapping[str, Mapping[str, Asker]] = {"madial": {"nearest": ask_nearest}}
"""Who is asked of a set besides."""


def main(argv: Sequence[str] | None = None) -> int:
    """Ask every question of a set and print what was found. 2 where the set is not there."""
    options = record_parser("bench.recall")
    names = (_EVERY, *RECORDS, *CONCLUSIONS, _QUERIES)
    options.add_argument("dataset", choices=names, help="what is asked")
    options.add_argument("--wordings", type=Path, help="of queries: the file of other wordings")
    arguments = options.parse_args(argv)
    asked = arguments.dataset
    name = f"bench.recall {asked}"
    if asked == _EVERY:
        return measure_all(arguments)
    if asked == _QUERIES:
        return measure_wordings(arguments)
    if asked in CONCLUSIONS:
        return measure(name, FIRST_LEVEL[asked](), CONCLUSIONS[asked], arguments)
    makers, floors = _MAKERS.get(asked, ()), _FLOORS.get(asked, NO_FLOORS)
    return measure_record(name, RECORDS[asked], arguments, makers, floors)


if __name__ == "__main__":
    sys.exit(main())
