"""Questions about memories that a program may answer itself: what is kept and read, what goes.

Memoria decides first, and asks with its own decision as the default. No answer reaches behind what
is promised to the user: a policy sees words without secrets and of its own tenant alone, it cannot
change them, it is not asked about what was forgotten, which stays so, and what it does is undone as
everything else. What the user has confirmed or pinned is replaced or archived by no policy.
"""

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from memoria.errors import InvalidInputError
from memoria.model import Memory, Mention, Modality, Scope
from memoria.model.base import Value
from memoria.model.privacy import PersonalRules
from memoria.model.turn import EventTime
from memoria.policy.conflict import (
    ConflictVerdict,
    Contradict,
    KeepBoth,
    NeedsReview,
    SameStatement,
    Supersede,
)

_LOG = logging.getLogger(__name__)
_AnswerT = TypeVar("_AnswerT")
_VerdictT = TypeVar("_VerdictT", bound=ConflictVerdict)

Replacement = Literal["replace", "beside", "ask"]
"""Relation of a new memory to a known one: it takes the place, both hold, or it waits for the
user's word."""
Fate = Literal["keep", "archive"]
"""What becomes of an aged memory. What is archived can be restored."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Answer that a memory is kept."""

    importance: float | None = None
    """Importance of the memory, 0 to 1; None leaves it as it is."""
    scope: Scope | None = None
    """Where a new memory is seen; None leaves it as it is. A private project keeps its own."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer that nothing is kept of a memory."""

    reason: str
    """Reason, for whoever wanted to have it remembered."""


class SentenceReading(Value):
    """People, things and time that a wording speaks of."""

    entities: tuple[Mention, ...] = ()
    """People, places and things, with their kinds and roles; names that pronouns stand for, too."""
    subject: str | None = None
    """Whom or what it is about: one of the entities, or another name."""
    negated: bool = False
    modality: Modality = "actual"
    event_at: EventTime | None = None
    """Time of the event: ISO 8601, a datetime, or UTC epoch milliseconds."""
    event_expression: str | None = None
    """The same in the words of the wording: `last Friday`."""


class RefusedError(InvalidInputError):
    """The policy of the program keeps nothing of a text. Nothing was written."""


class Policy(Protocol):
    """A program's answers to questions about its memories. Derive from it, override some.

    Its public methods are its answers; a method that helps them begins with an underscore.
    Questions come from worker threads, several at once, and all but `forget` while the memory is
    written: answer at once, and call no method of this memory, which would wait for itself.
    Where an answer fails or can't be used, Memoria's own stands; that is logged once a question.
    """

    def keep(self, new: Memory) -> Keep | Refuse:  # noqa: ARG002  (for those who override it)
        """Answer whether something is kept that is about to become a memory, or its new wording.

        It is asked about statements, conclusions and summaries of conversations; not about what
        the user has written into a core file, nor what a night draws from kept memories.

        Args:
            new: the memory as it would be written; `new.current.provenance` has who said it.
        """
        return Keep()

    def read(self, new: Memory, ours: SentenceReading) -> SentenceReading:  # noqa: ARG002
        """Answer whom, what and when a wording speaks of: the place of rules that read sentences.

        It is asked after `keep`, about the same wordings. What it reads becomes the memory's links
        with people and things, and the time of its event.

        Args:
            new: the memory as it would be written.
            ours: what rules have read, or the agent or model that has stated the wording.
        """
        return ours

    def replace(self, new: Memory, known: Memory, ours: Replacement) -> Replacement:  # noqa: ARG002
        """Answer whether a new memory takes the place of a known one.

        Args:
            new: what is said now.
            known: an active memory that may speak of the same.
            ours: what Memoria would do.
        """
        return ours

    def forget(self, memory: Memory, ours: Fate) -> Fate:  # noqa: ARG002
        """Answer whether a night archives an active memory. Nothing is erased by that.

        It is not asked about what is pinned or confirmed, nor about what has come to the end that
        somebody gave it.

        Args:
            memory: one that is not protected by the user's word.
            ours: what Memoria would do, by the memory's age and use.
        """
        return ours


class HomePolicy:
    """Rules for personal data and a program's policy: by them a home keeps and archives."""

    def __init__(self, own: Policy | None = None, personal: PersonalRules | None = None) -> None:
        """Create the policy of a home; without a program's own, Memoria's answers stand.

        Raises:
            InvalidInputError: the program's own is a class and no object, or has a method by
                another name than those of the questions.
        """
        if isinstance(own, type):
            raise InvalidInputError(
                f"policy: {own.__name__} is a class; pass an object of it, {own.__name__}()."
            )
        unknown = [] if own is None else _list_unknown_methods(own)
        if unknown:
            raise InvalidInputError(
                f"policy: {type(own).__name__}.{unknown[0]} answers no question. The methods of a "
                f"policy are {', '.join(_QUESTIONS)}; begin any other's name with an underscore."
            )
        self.personal = personal or {}
        self._own = own
        self._told: dict[str, object] = {}

    @property
    def is_asked(self) -> bool:
        """True if a program answers."""
        return self._own is not None

    def decide_keep(self, new: Memory) -> Keep:
        """Decide how a memory is kept.

        Raises:
            RefusedError: the program keeps nothing of it.
        """
        if self._own is None:
            return Keep()
        ours: Keep | Refuse = Keep()
        match self._ask("keep", (new,), _is_keep, ours):
            case Refuse(reason=reason):
                raise RefusedError(f"This program's policy does not keep it: {reason}")
            case Keep() as answer:
                return answer

    def decide_reading(self, new: Memory, ours: SentenceReading) -> SentenceReading:
        """Decide whom, what and when a wording speaks of."""
        if self._own is None:
            return ours
        return self._ask("read", (new, ours), _is_reading, ours)

    def decide_replacement(
        self, new: Memory, known: Memory, since: int, verdict: _VerdictT
    ) -> _VerdictT | Supersede | Contradict | KeepBoth:
        """Decide whether a memory replaces another one; a verdict that stands is given as it is.

        Args:
            new: what is said now.
            known: what is known.
            since: the moment from which the new memory would hold in its place, UTC epoch ms.
            verdict: what rules, a model or the user have decided.
        """
        if self._own is None or isinstance(verdict, SameStatement):
            return verdict
        ours = _name_verdict(verdict)
        answer = self._ask("replace", (new, known, ours), _is_replacement, ours)
        if answer == ours:
            return verdict
        if answer == "replace" and not (known.verified or known.pinned):
            return Supersede(since)
        return KeepBoth() if answer == "beside" else Contradict()

    def decide_fate(self, memory: Memory, ours: Fate) -> Fate:
        """Decide whether an aged memory is archived; what is pinned or confirmed never is."""
        if self._own is None or memory.pinned or memory.verified:
            return ours
        return self._ask("forget", (memory, ours), _is_fate, ours)

    def _ask(
        self,
        question: str,
        arguments: tuple[object, ...],
        is_usable: Callable[[object], bool],
        ours: _AnswerT,
    ) -> _AnswerT:
        """Return the program's answer; ours where its method fails or gives none that can be used.

        What failed is told without a word of any memory.
        """
        try:
            answer: _AnswerT = getattr(self._own, question)(*arguments)
            if is_usable(answer):
                return answer
            problem = f"gave an answer that can't be used ({type(answer).__name__})"
        except Exception as error:  # noqa: BLE001  (whatever it is, what was said is kept)
            problem = f"failed with {type(error).__name__}{_place_of(error)}"
        if self._told.setdefault(question, problem) is problem:
            _LOG.warning(
                "The policy's %s %s. Memoria's own answer stands; this is told once.",
                question,
                problem,
            )
        return ours


_QUESTIONS = ("keep", "read", "replace", "forget")


def _list_unknown_methods(own: Policy) -> list[str]:
    """List the public methods of a program's policy that answer no question."""
    public = (name for name in dir(type(own)) if not name.startswith("_"))
    return [
        name
        for name in public
        if name not in _QUESTIONS and inspect.isroutine(getattr(type(own), name))
    ]


OWN_POLICY = HomePolicy()
"""Memoria's own answers, and no rules for personal data but the usual ones."""


def _name_verdict(verdict: ConflictVerdict) -> Replacement:
    match verdict:
        case Supersede():
            return "replace"
        case Contradict() | NeedsReview():
            return "ask"
        case _:
            return "beside"


def _place_of(error: Exception) -> str:
    """Return where in a program an error was raised, as its file and line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"


def _is_keep(answer: object) -> bool:
    match answer:
        case Keep(importance=importance, scope=scope):
            is_number = isinstance(importance, int | float) and 0 <= importance <= 1
            return (importance is None or is_number) and scope in (None, "everywhere", "project")
        case Refuse(reason=str()):
            return True
        case _:
            return False


def _is_reading(answer: object) -> bool:
    return isinstance(answer, SentenceReading)


def _is_replacement(answer: object) -> bool:
    return answer in ("replace", "beside", "ask")


def _is_fate(answer: object) -> bool:
    return answer in ("keep", "archive")
