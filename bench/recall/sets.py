"""The sets by the names they are asked for, and what each is asked of."""

from collections.abc import Callable, Mapping

from bench.command import Asker
from bench.data import LOCOMO, DataSet
from bench.recall.beam import BEAM
from bench.recall.cmrc import CMRC
from bench.recall.foreign import FOREIGN
from bench.recall.linked import LINKED
from bench.recall.linked import systems as linked_systems
from bench.recall.longmemeval import LONGMEMEVAL
from bench.recall.madial import MADIAL
from bench.recall.memdaily import MEMDAILY
from bench.recall.memorybank import OTHER_LANGUAGE, SAME_LANGUAGE
from bench.recall.observations import OBSERVATIONS
from bench.recall.observations import systems as observations_systems
from bench.recall.walks import WALKS
from bench.recall.walks import systems as walks_systems

RECORDS: Mapping[str, DataSet] = {
    "locomo": LOCOMO,
    "beam": BEAM,
    "memdaily": MEMDAILY,
    "memorybank": SAME_LANGUAGE,
    "madial": MADIAL,
    "cross-language": OTHER_LANGUAGE,
    "cmrc": CMRC,
    "longmemeval": LONGMEMEVAL,
    "foreign": FOREIGN,
}
"""Conversations that are recorded as they were."""
CONCLUSIONS: Mapping[str, DataSet] = {
    "linked": LINKED,
    "observations": OBSERVATIONS,
    "walks": WALKS,
}
"""What is remembered, for the first level alone."""
FIRST_LEVEL: Mapping[str, Callable[[], Mapping[str, Asker]]] = {
    "linked": linked_systems,
    "observations": observations_systems,
    "walks": walks_systems,
}
