"""The command line: which set is asked, of Memoria and of plain full-text search in the same run.

python -m bench.recall beam             # long chats of a user and an assistant, by type
python -m bench.recall memdaily         # what a user told of their days, in Chinese
python -m bench.recall cmrc             # Chinese passages
python -m bench.recall memorybank       # marked questions, in the language of the chat
python -m bench.recall cross-language   # marked questions, in the other language
python -m bench.recall longmemeval      # sessions of haystacks
python -m bench.recall foreign          # what another tenant could answer: silence is right
python -m bench.recall linked           # an invented world, asked of the first level
python -m bench.recall observations     # what was concluded from LoCoMo, asked of the first level
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from bench.command import Asker, SheetMaker, measure
from bench.recall.beam import BEAM
from bench.recall.cmrc import CMRC
from bench.recall.foreign import FOREIGN
from bench.recall.linked import LINKED
from bench.recall.linked import systems as linked_systems
from bench.recall.longmemeval import LONGMEMEVAL
from bench.recall.memdaily import MEMDAILY
from bench.recall.memorybank import OTHER_LANGUAGE, SAME_LANGUAGE
from bench.recall.observations import OBSERVATIONS
from bench.recall.observations import systems as observations_systems
from bench.sheets import compare_to_floor, tell_sides
from bench.systems import measure_record, record_parser

_SETS = {
    "beam": BEAM,
    "memdaily": MEMDAILY,
    "cmrc": CMRC,
    "memorybank": SAME_LANGUAGE,
    "cross-language": OTHER_LANGUAGE,
    "longmemeval": LONGMEMEVAL,
    "foreign": FOREIGN,
    "linked": LINKED,
    "observations": OBSERVATIONS,
}
_FIRST_LEVEL: Mapping[str, Callable[[], Mapping[str, Asker]]] = {
    "linked": linked_systems,
    "observations": observations_systems,
}
"""Sets of conclusions, and of what they are asked."""
_MAKERS: Mapping[str, Sequence[SheetMaker]] = {
    "beam": (partial(compare_to_floor, slices=BEAM.slices), tell_sides)
}
"""What is shown of a set beside its figures."""


def main(argv: Sequence[str] | None = None) -> int:
    """Ask every question of a set and print what was found. 2 where the set is not there."""
    options = record_parser("bench.recall")
    options.add_argument("dataset", choices=_SETS, help="what is asked")
    arguments = options.parse_args(argv)
    asked = arguments.dataset
    name, data_set = f"bench.recall {asked}", _SETS[asked]
    if asked in _FIRST_LEVEL:
        return measure(name, _FIRST_LEVEL[asked](), data_set, arguments)
    return measure_record(name, data_set, arguments, _MAKERS.get(asked, ()))


if __name__ == "__main__":
    sys.exit(main())
