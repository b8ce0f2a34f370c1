"""A run: rounds of sequences until the time is up, with every distinct find shrunk once."""

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from bench.fuzz.draw import steps
from bench.fuzz.judge import Problem, short
from bench.fuzz.steps import Step
from bench.fuzz.world import Serve, World, usual_server, world
from memoria.inference.base import Embedder
from memoria.inference.embedder import BUNDLED, BundledEmbedder

ERAS = ("auto", "legacy")
_VECTORS_EVERY = 3
_MOST_STEPS = 6
_SEEDS = 1_000_000
"""Seeds of sequences there are to a round's."""
_MOST_FINDS = 20
"""In a round: one that breaks at every touch is not to go on for ever."""
_PROGRESS_S = 15.0
Key = tuple[str, str]


@dataclass(slots=True)
class Find:
    """A broken promise, with the least that breaks it."""

    kind: str
    place: str
    detail: str
    steps: list[str]
    seed: int
    era: str
    reproduced: bool
    """Whether it came again when tried again; what depends on the clock may not."""
    seen: int = 1


@dataclass(slots=True)
class Tally:
    """What a run came to."""

    seconds: float = 0.0
    rounds: int = 0
    sequences: int = 0
    calls: int = 0
    finds: dict[Key, Find] = field(default_factory=dict)
    outcomes: Counter[tuple[str, str, str]] = field(default_factory=Counter)


class _FoundError(Exception):
    """Tells hypothesis that this sequence breaks the promise it is to shrink for."""


class Campaign:
    """Rounds, and what they found."""

    def __init__(
        self,
        first_seed: int,
        *,
        sequences: int = 200,
        vectors: bool = True,
        serve: Serve = usual_server,
        say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
    ) -> None:
        """Nothing runs yet.

        Args:
            first_seed: of the first round; the next ones count on from it.
            sequences: in a round at most.
            vectors: whether every third round has the bundled model.
            serve: builds the server.
            say: told of progress and finds.
        """
        self.tally = Tally()
        self._next_seed = first_seed
        self._sequences = sequences
        self._vectors = vectors
        self._serve = serve
        self._say = say
        self._began = self._told = time.monotonic()
        self._until = float("inf")

    def run(self, seconds: float = float("inf"), rounds: int = sys.maxsize) -> Tally:
        """Run rounds until the time is up or there were enough."""
        self._until = self._began + seconds
        with _quiet("mcp"):
            for _ in range(rounds):
                if self._over():
                    break
                self._round(self._next_seed)
                self._next_seed += 1
                self.tally.rounds += 1
        self.tally.seconds = time.monotonic() - self._began
        return self.tally

    def _round(self, number: int) -> None:
        era = ERAS[number % len(ERAS)]
        embedder = _model() if self._vectors and number % _VECTORS_EVERY == 0 else None
        with world(era, embedder, self._serve) as here:
            _Round(self.tally, here, number, era).run(self._sequences, self._over, self._say)
            for problem in here.sound():
                self._say(f"FIND {problem.kind} at {problem.place}: {problem.detail}")
                key = (problem.kind, problem.place)
                found = Find(problem.kind, problem.place, problem.detail, [], number, era, False)
                self.tally.finds.setdefault(key, found)
            self.tally.outcomes.update(here.outcomes)

    def _over(self) -> bool:
        now = time.monotonic()
        if now - self._told > _PROGRESS_S:
            self._told = now
            tally = self.tally
            self._say(
                f"{now - self._began:6.0f} s  {tally.calls:,} calls  {tally.sequences:,} sequences"
                f"  {tally.rounds} rounds  {len(tally.finds)} finds  {_megabytes():.0f} MB"
            )
        return now >= self._until


class _Round:
    """Sequences in one world; the first that breaks a promise anew is shrunk, then the next."""

    def __init__(self, tally: Tally, here: World, number: int, era: str) -> None:
        self._tally = tally
        self._world = here
        self._seed = number
        self._era = era
        self._found = 0
        self._simplest: list[Step] | None = None
        self._pursued: Key | None = None
        self._least: tuple[Problem, list[Step]] | None = None

    def run(self, sequences: int, over: Callable[[], bool], say: Callable[[str], None]) -> None:
        """Examine that many sequences, or as many as there is time for."""
        examine = self._property()
        for i in range(sequences):
            if over() or self._found == _MOST_FINDS:
                break
            reproduced = _holds_again(seed(self._seed * _SEEDS + i)(examine))
            if self._least is not None:
                found = self._find(*self._least, reproduced=reproduced)
                self._tally.finds[found.kind, found.place] = found
                self._found += 1
                self._pursued = self._least = None
                say(f"FIND {shown(found)}")

    def _property(self) -> Callable[[], None]:
        """That no sequence breaks a promise; tried on the simplest sequence and one at random.

        Hypothesis would follow each random sequence with five that repeat parts of it. That finds
        little here, and a new seed for every sequence is six times the variety.
        """

        @settings(
            max_examples=2,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
        )
        @given(st.lists(steps(self._world), min_size=1, max_size=_MOST_STEPS))
        def examine(sequence: list[Step]) -> None:
            if self._simplest is None:
                self._simplest = sequence
            elif sequence == self._simplest and self._pursued is None:
                return
            self._examine(sequence)

        return examine

    def _examine(self, sequence: list[Step]) -> None:
        self._tally.sequences += 1
        for problem in self._play(sequence):
            key = (problem.kind, problem.place)
            if key in self._tally.finds:
                self._tally.finds[key].seen += 1
            elif self._pursued in (None, key):
                self._pursued = key
                self._least = (problem, sequence)
                raise _FoundError

    def _play(self, sequence: list[Step]) -> Iterator[Problem]:
        self._world.forget_ids()
        for step in sequence:
            self._tally.calls += 1
            yield from step.perform(self._world)
        yield from self._world.alive()

    def _find(self, problem: Problem, sequence: list[Step], *, reproduced: bool) -> Find:
        """The find, without the steps that hypothesis in its haste left in."""
        for i in reversed(range(len(sequence) if reproduced else 0)):
            fewer = sequence[:i] + sequence[i + 1 :]
            if any((one.kind, one.place) == self._pursued for one in self._play(fewer)):
                sequence = fewer
        return Find(
            problem.kind,
            problem.place,
            problem.detail,
            [short(repr(step)) for step in sequence],
            self._seed,
            self._era,
            reproduced,
        )


def _holds_again(examine: Callable[[], None]) -> bool:
    """Try a property; false only if it broke once and then held."""
    try:
        examine()
    except _FoundError:
        return True
    except Flaky:
        return False
    return True


def shown(found: Find) -> str:
    """A find for people."""
    again = "" if found.reproduced else ", did not come again"
    lines = [f"{found.kind} at {found.place} (seed {found.seed}, {found.era}{again})"]
    return "\n    ".join([*lines, found.detail.strip(), *found.steps])


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Keep a logger's records from whoever prints them: every crash would be printed whole."""
    logger = logging.getLogger(name)
    before, logger.propagate = logger.propagate, False
    try:
        yield
    finally:
        logger.propagate = before


@cache
def _model() -> Embedder:
    return BundledEmbedder(BUNDLED)


def _megabytes() -> float:
    """The most memory this process had, in MB."""
    import resource  # noqa: PLC0415  (not on Windows)

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
