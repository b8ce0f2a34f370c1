"""The groups of rules, what each is for, and how it is switched off.

Every file of `policy`, `text` and `retrieval/query` belongs to one of them. What decides nothing by
the words of a language (scores, budgets, identities) is told apart: it has lines, and no figure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import memoria
from bench.rules.switch import Seam
from memoria.retrieval.query.aim import Aim

PACKAGE = Path(memoria.__file__).parent
MEASURED = ("policy", "text", "retrieval/query")
"""The folders whose files are told of."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that serve one purpose."""

    name: str
    purpose: str
    files: tuple[str, ...]
    """Below the package, as patterns."""
    stages: tuple[str, ...] = ()
    """Parts of a search that are left out to do without them."""
    seams: tuple[Seam, ...] = ()

    def list_files(self) -> list[Path]:
        """Its files, each once."""
        return sorted({file for pattern in self.files for file in PACKAGE.glob(pattern)})

    def count_lines(self) -> int:
        """The lines of its files."""
        return sum(len(file.read_text("utf-8").splitlines()) for file in self.list_files())


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
        ("text/dates/**/*.py",),
        seams=(Seam("text.dates.find", "times", _nothing),),
    ),
    Group(
        "kind of answer",
        "whose turns answer: the user's, the assistant's, both, or several sessions",
        ("retrieval/query/aim.py",),
        seams=(Seam("retrieval.query.aim", "find_aim", _fact),),
    ),
    Group(
        "names by their sound",
        "a name that stands nowhere is searched for as the nearest one that does",
        ("retrieval/query/names.py", "text/spelling.py"),
        seams=(Seam("retrieval.query.names", "resolve_names", _plan),),
    ),
    Group(
        "two names of one",
        "who is asked about by one name is searched for by the other one, too",
        ("retrieval/query/aliases.py",),
        seams=(Seam("retrieval.query.aliases", "add_other_names", _plan),),
    ),
    Group(
        "codes",
        "a beginning of a code or number finds the whole",
        ("retrieval/query/codes.py",),
        seams=(Seam("retrieval.query.codes", "complete_codes", _plan),),
    ),
    Group(
        "standing wishes in turns",
        "where help is asked for, turns with a standing wish gain",
        ("text/saying.py",),
        stages=("wishes",),
    ),
    Group(
        "passages",
        "a long turn is as near as the nearest of its parts",
        ("text/passages.py",),
        stages=("passages",),
    ),
    Group(
        "excerpts",
        "a long turn is shown by the sentences that answer",
        ("text/excerpt.py",),
        seams=(Seam("text.excerpt", "ExcerptFinder.find", _from_start),),
    ),
)
"""What a search is asked without."""

MARKED = (
    Group(
        "standing wishes",
        "a whole message that asks for something from now on is marked as a wish",
        (
            "policy/plain_statements.py",
            "policy/statements/__init__.py",
            "policy/statements/runs.py",
            "policy/statements/standing.py",
        ),
        seams=(Seam("policy.statements.standing", "is_standing_wish", _no),),
    ),
    Group(
        "vetoes",
        "irony and parts to play are not marked",
        ("policy/statements/vetoes.py",),
        seams=(
            Seam("policy.statements.vetoes", "is_meant_otherwise", _no),
            Seam("policy.statements.vetoes", "find_draft", len),
        ),
    ),
    Group(
        "own words",
        "code, quotations and what is only presented is nobody's statement",
        ("policy/own_words.py",),
        seams=(Seam("policy.own_words", "blot_foreign_text", _same),),
    ),
)
"""What a turn is marked without."""

PROMISED = (
    Group(
        "secrets",
        "keys, passwords and tokens are taken out before anything is stored; see `bench.secrets`",
        ("text/redact.py", "text/redaction/*.py", "text/luhn.py", "policy/privacy.py"),
    ),
    Group(
        "don't remember this, and confidences",
        "what is told on a condition is told to who asks alone, or to nobody",
        ("policy/confided*.py", "policy/withheld.py", "policy/other_times.py", "policy/retold.py"),
    ),
    Group(
        "pasted text",
        "what somebody only presents is not their word, and binds nobody",
        ("policy/pasted.py", "policy/lead_ins.py"),
    ),
    Group(
        "orders",
        "text that gives orders to the agent waits unless the user has said it",
        ("policy/orders.py", "policy/directions.py"),
    ),
    Group(
        "forgetting",
        "what was forgotten is known again, however it is written",
        (
            "text/recognition.py",
            "text/statement.py",
            "text/phrases.py",
            "text/invisible.py",
            "text/strip.py",
            "policy/wrapping.py",
        ),
    ),
    Group(
        "requests to remember",
        "what a turn asks to have remembered is one memory, in its own words",
        ("policy/requests.py",),
    ),
    Group(
        "types of what is kept",
        "of what type a statement is that somebody keeps; see `training.statements`",
        ("policy/kinds.py", "policy/statements/classifier.py"),
    ),
    Group(
        "how long it is meant to hold",
        "an order for one session or an errand of a day stands in no core file",
        ("policy/lasting.py",),
    ),
    Group(
        "scope",
        "what is about a person is seen in every project, what is about the work in its own",
        ("policy/kinship.py", "policy/scope.py", "policy/scope_words.py"),
    ),
    Group(
        "spellings in the index",
        "a word is found however it is written: accents, scripts, signs, numbers",
        (
            "text/analyser.py",
            "text/joined.py",
            "text/letters.py",
            "text/script.py",
            "text/stopwords.py",
            "text/symbols.py",
        ),
    ),
    Group(
        "a model's evidence",
        "what a model concludes must stand in what was said",
        ("policy/literal.py", "text/quotes.py", "policy/routing.py"),
    ),
)
"""What a promise of the guarantees rests on; no set of questions tells its worth."""

PLAIN = (
    Group(
        "without words of a language",
        "scores, budgets, plans, identities and forms",
        (
            "policy/__init__.py",
            "policy/conflict.py",
            "policy/core.py",
            "policy/keys.py",
            "policy/merging.py",
            "policy/own_lines.py",
            "policy/participants.py",
            "policy/retention.py",
            "policy/succession.py",
            "policy/tasks.py",
            "policy/tier_rules.py",
            "retrieval/query/__init__.py",
            "retrieval/query/options.py",
            "retrieval/query/parse.py",
            "retrieval/query/plan.py",
            "retrieval/query/profile.py",
            "retrieval/query/questions.py",
            "retrieval/query/task.py",
            "retrieval/query/terms.py",
            "text/__init__.py",
            "text/budget.py",
            "text/clean.py",
            "text/document.py",
            "text/lines.py",
            "text/name.py",
            "text/pattern.py",
            "text/remembered.py",
        ),
    ),
)
"""All else."""

GROUPS = (*SEARCHED, *MARKED, *PROMISED, *PLAIN)


def iterate_files() -> Iterator[Path]:
    """Every file that has to belong to a group."""
    for folder in MEASURED:
        yield from sorted((PACKAGE / folder).rglob("*.py"))
