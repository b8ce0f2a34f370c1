"""The groups of rules, what each is for, and how it is switched off.

Every file of `language`, `policy` and `retrieval/query` belongs to a group, a file with rules for
several purposes to several. What decides nothing by the words of a language (scores, budgets,
identities) is told apart: it has lines, and no figure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import memoria
from bench.rules.switch import Seam
from memoria.language.asking.aim import Aim

PACKAGE = Path(memoria.__file__).parent
MEASURED = ("language", "policy", "retrieval/query")
"""The folders whose files are told of."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that serve one purpose."""

    name: str
    purpose: str
    files: tuple[str, ...]
    """Files with its rules, below the package, as patterns; other groups may share them."""
    stages: tuple[str, ...] = ()
    """Parts of a search that are left out to do without them."""
    seams: tuple[Seam, ...] = ()

    def list_files(self) -> list[Path]:
        """Its files, each once."""
        return sorted({file for pattern in self.files for file in PACKAGE.glob(pattern)})

    def count_lines(self) -> int:
        """The lines of its files."""
        return sum(map(count_lines, self.list_files()))


def count_lines(file: Path) -> int:
    """The lines of a file."""
    return len(file.read_text("utf-8").splitlines())


def _nothing(*_: object, **__: object) -> tuple[()]:
    return ()


def _no(*_: object, **__: object) -> bool:
    return False


def _same(text: str) -> str:
    return text


def _from_start(finder: object, chars: int) -> tuple[int, int]:
    del finder
    return 0, chars


def _plan(_tx: object, plan: object, *_: object) -> object:
    return plan


def _fact(_question: str) -> Aim:
    return Aim.FACT


SEARCHED = (
    Group(
        "dates in questions",
        "a time that a question names says when the answer was said",
        ("language/dates/**/*.py",),
        seams=(Seam("language.dates.find", "times", _nothing),),
    ),
    Group(
        "kind of answer",
        "whose turns answer: the user's, the assistant's, both, or several sessions",
        ("language/asking/aim.py",),
        seams=(Seam("language.asking.aim", "find_aim", _fact),),
    ),
    Group(
        "names by their sound",
        "a name that stands nowhere is searched for as the nearest one that does",
        ("retrieval/query/wording.py", "language/words/spelling.py"),
        seams=(Seam("retrieval.query.wording", "resolve_names", _plan),),
    ),
    Group(
        "two names of one",
        "who is asked about by one name is searched for by the other one, too",
        ("retrieval/query/wording.py",),
        seams=(Seam("retrieval.query.wording", "add_other_names", _plan),),
    ),
    Group(
        "codes",
        "a beginning of a code or number finds the whole",
        ("retrieval/query/wording.py",),
        seams=(Seam("retrieval.query.wording", "complete_codes", _plan),),
    ),
    Group(
        "standing wishes in turns",
        "where help is asked for, turns with a standing wish gain",
        ("language/asking/aim.py",),
        stages=("wishes",),
    ),
    Group(
        "passages",
        "a long turn is as near as the nearest of its parts",
        ("language/reading/excerpt.py",),
        stages=("passages",),
    ),
    Group(
        "excerpts",
        "a long turn is shown by the sentences that answer",
        ("language/reading/excerpt.py",),
        seams=(Seam("language.reading.excerpt", "ExcerptFinder.find", _from_start),),
    ),
)
"""What a search is asked without."""

MARKED = (
    Group(
        "standing wishes",
        "a whole message that asks for something from now on is marked as a wish",
        ("language/statements/plain_statements.py", "language/statements/classifier.py"),
        seams=(Seam("language.statements.classifier", "is_standing_wish", _no),),
    ),
    Group(
        "vetoes",
        "irony and parts to play are not marked",
        ("language/statements/plain_statements.py",),
        seams=(
            Seam("language.statements.plain_statements", "is_meant_otherwise", _no),
            Seam("language.statements.plain_statements", "find_draft", len),
        ),
    ),
    Group(
        "own words",
        "code, quotations and what is only presented is nobody's statement",
        ("language/reading/own_words.py",),
        seams=(Seam("language.reading.own_words", "blot_foreign_text", _same),),
    ),
)
"""What a turn is marked without."""

PROMISED = (
    Group(
        "secrets",
        "keys, passwords and tokens are taken out before anything is stored; see `bench.secrets`",
        ("language/secrets/*.py", "policy/privacy.py"),
    ),
    Group(
        "don't remember this, and confidences",
        "what is told on a condition is told to who asks alone, or to nobody",
        ("language/statements/confided.py", "language/statements/withheld.py"),
    ),
    Group(
        "pasted text",
        "what somebody only presents is not their word, and binds nobody",
        ("language/reading/pasted.py", "language/reading/lead_ins.py"),
    ),
    Group(
        "orders",
        "text that gives orders to the agent waits unless the user has said it",
        ("language/statements/orders.py",),
    ),
    Group(
        "forgetting",
        "what was forgotten is known again, however it is written",
        (
            "language/reading/recognition.py",
            "language/reading/statement.py",
            "language/reading/fences.py",
        ),
    ),
    Group(
        "names in what is recorded",
        "whom and what a text names, and who does what to whom, without a model",
        (
            "language/names/lexicon.py",
            "language/names/mentions.py",
            "language/names/keys.py",
            "language/names/roles.py",
        ),
    ),
    Group(
        "requests to remember",
        "what a turn asks to have remembered is one memory, in its own words",
        ("language/statements/plain_statements.py",),
    ),
    Group(
        "types of what is kept",
        "of what type a statement is that somebody keeps; see `training.statements`",
        ("language/statements/classifier.py",),
    ),
    Group(
        "how long it is meant to hold",
        "an order for one session or an errand of a day stands in no core file",
        ("language/statements/lasting.py",),
    ),
    Group(
        "scope",
        "what is about a person is seen in every project, what is about the work in its own",
        ("language/names/lexicon.py", "policy/scope.py"),
    ),
    Group(
        "spellings in the index",
        "a word is found however it is written: accents, scripts, signs, numbers",
        ("language/words/analyser.py", "language/words/characters.py"),
    ),
    Group(
        "words before a mistake",
        "what failed here or was ruled out is said before a call; see `bench.guard`",
        ("policy/guard/*.py",),
    ),
    Group(
        "a model's evidence",
        "what a model concludes must stand in what was said",
        ("language/reading/quotes.py", "policy/turns.py"),
    ),
)
"""What a promise of the guarantees rests on; no set of questions tells its worth."""

PLAIN = (
    Group(
        "without words of a language",
        "scores, budgets, plans, identities and forms",
        (
            "policy/__init__.py",
            "language/__init__.py",
            "language/asking/__init__.py",
            "language/names/__init__.py",
            "language/reading/__init__.py",
            "language/statements/__init__.py",
            "language/words/__init__.py",
            "language/reading/clean.py",
            "policy/conflict.py",
            "policy/core.py",
            "policy/merging.py",
            "policy/questions.py",
            "policy/repeats.py",
            "language/calls/*.py",
            "language/reading/commits.py",
            "policy/retention.py",
            "policy/weighing.py",
            "retrieval/query/__init__.py",
            "retrieval/query/options.py",
            "language/asking/parse.py",
            "retrieval/query/plan.py",
            "language/budget.py",
            "language/words/document.py",
            "language/lazy.py",
        ),
    ),
)
"""All else."""

GROUPS = (*SEARCHED, *MARKED, *PROMISED, *PLAIN)


def iterate_files() -> Iterator[Path]:
    """Every file that has to belong to a group."""
    for folder in MEASURED:
        yield from sorted((PACKAGE / folder).rglob("*.py"))
