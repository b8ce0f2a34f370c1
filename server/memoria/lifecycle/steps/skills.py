"""Skills: a chat model looks for tasks that were done again and again, and for skills that failed.

What it proposes waits as a draft for the user's word. A kept skill that has failed in two sessions
is withdrawn. A project is looked at again once three more sessions of it have ended.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from memoria.errors import (
    ChatModelError,
    ForgottenError,
    InvalidAnswerError,
    InvalidInputError,
    ModelRefusedError,
)
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import request_skills
from memoria.ingest.processing import compact_json
from memoria.language.reading.clean import Tally
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext, log_action
from memoria.lifecycle.skill_drafts import SkillDraft, check_proposal, is_of_dropped
from memoria.lifecycle.skill_sessions import SkillMatter, read_matter
from memoria.memories.skills import list_skills, withdraw_if_failed
from memoria.memories.validator import RejectedError
from memoria.memories.wordings import NewWording, Passage, StructuralLinks, check_statement
from memoria.model import (
    InferredBy,
    Memory,
    MemoryType,
    Provenance,
    SourceKind,
    Trust,
    Validity,
    new_id,
)
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.model.skills import FLAG, SkillReading, read_skill, skill_of, state_of
from memoria.policy.privacy import effective_rules, screen
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewMemory

_RESERVE_S = 5.0
_LOOK = "look for skills"
_FAILED = "skill failed"
_IMPORTANCE, _CONFIDENCE = 0.5, 0.6


class SkillItem(Item):
    """A draft to write, a failure to note, or a project that was looked at."""

    do: Literal["draft", "fail", "look"]
    project: str
    content: str = ""
    passages: tuple[tuple[str, str], ...] = ()
    """Turns that a draft rests on, by id, with their words."""
    memory: str = ""
    """Id of the skill that failed."""
    session: str = ""
    looked_until: int = 0
    model: str = ""


class SkillsStep(PlannedStep[SkillItem]):
    """Proposes skills, and withdraws those that failed."""

    name = "skills"
    summary = "Propose tasks that were done three times as skills, and withdraw skills that failed."
    things = ("skill", "skills")
    deed = "proposed, or noted as failed"
    item = SkillItem
    rows = 250

    def describe_limits(self, context: StepContext) -> str | None:
        """Return a sentence on what was not looked at, and why; None if nothing was left."""
        if context.chat is None:
            return f"{WITHOUT_MODEL} no skill is proposed and none is withdrawn"
        return context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[SkillItem]:
        """Yield what a chat model finds in each project with three new sessions."""
        if context.chat is None:
            return
        with context.store.read(context.tenant) as tx:
            projects = sorted(tx.projects.list_used())
        for project in projects:
            matter = read_matter(context, project, _find_last_look(context, project))
            if matter is None:
                continue
            if context.time_left() <= _RESERVE_S:
                context.shortfalls[self.name] = "not every project was looked at: the time is up"
                return
            try:
                yield from _look(context, context.chat, matter)
            except (InvalidAnswerError, ModelRefusedError):
                context.shortfalls[self.name] = "of a project the model gave no clear word"
            except ChatModelError as error:
                context.shortfalls[self.name] = f"not every project was looked at: {error}"
                return
            yield SkillItem(
                key=f"look|{project}", do="look", project=project, looked_until=matter.looked_until
            )

    def apply(self, tx: Transaction, item: SkillItem, context: StepContext) -> ItemResult:
        """Write a draft or note a failure, unless the record or the skill has changed since."""
        match item.do:
            case "draft":
                return _write_draft(tx, item, context)
            case "fail":
                return _note_failure(tx, item, context)
            case "look":
                log_action(tx, context.at, _LOOK, item.project, str(item.looked_until))
                return ItemResult(StepOutcome.UNCHANGED)


def _find_last_look(context: StepContext, project: str) -> int:
    """Return the moment up to which a project's sessions were looked at; 0 if never."""
    with context.store.read(context.tenant) as tx:
        entries = tx.audit.list_entries(project, 100)
    looks = (int(one.detail or 0) for one in entries if one.action == _LOOK)
    return max(looks, default=0)


def _look(context: StepContext, chat: ChatClient, matter: SkillMatter) -> Iterator[SkillItem]:
    with context.store.read(context.tenant) as tx:
        known = [
            one for one in list_skills(tx, matter.project) if one.project in (None, matter.project)
        ]
        dropped = [_list_sessions(tx, one) for one in known if state_of(one) == "dropped"]
    read = _ask(context, chat, matter, known)
    names = {skill.name for one in known if (skill := skill_of(one)) is not None}
    for proposed in read.skills:
        if proposed.name in names:
            continue
        names.add(proposed.name)
        try:
            draft = check_proposal(proposed, matter)
            content = _screen(draft, context)
        except (RejectedError, InvalidInputError) as error:
            context.shortfalls[SkillsStep.name] = f"a proposed skill was left out: {error}"
            continue
        if not is_of_dropped(draft, dropped):
            yield SkillItem(
                key=f"draft|{matter.project}|{proposed.name}",
                do="draft",
                project=matter.project,
                content=content,
                passages=draft.passages,
                model=chat.name,
            )
    yield from _list_failures(read, matter, known, chat.name)


def _ask(
    context: StepContext, chat: ChatClient, matter: SkillMatter, known: Sequence[Memory]
) -> SkillReading:
    skills = [(one, skill) for one in known if (skill := skill_of(one)) is not None]
    lines = [
        compact_json({"name": skill.name, "state": state_of(one), "description": skill.description})
        for one, skill in sorted(skills, key=lambda pair: pair[1].name)
    ]
    kept = [skill.name for one, skill in skills if state_of(one) == "kept"]
    request = request_skills(
        known="\n".join(lines), sessions=matter.write(kept), max_output_tokens=context.output_tokens
    )
    return chat.ask(context.tenant, request)


def _list_sessions(tx: Transaction, memory: Memory) -> set[str]:
    return {one.session_id for one in tx.memories.list_evidence(memory.id)}


def _screen(draft: SkillDraft, context: StepContext) -> str:
    """Return the text of a draft without secrets.

    Raises:
        RejectedError: it holds personal data that is not to be kept.
        InvalidInputError: it is too long, or asks itself not to be kept.
    """
    text = check_statement(draft.skill.write(), Tally())
    screened = screen(text, effective_rules(context.settings.personal_data or {}))
    if screened.text is None:
        raise RejectedError("personal data")
    return screened.text


def _list_failures(
    read: SkillReading, matter: SkillMatter, known: Sequence[Memory], model: str
) -> Iterator[SkillItem]:
    """Yield the failures of kept skills in sessions that used them."""
    kept = {
        skill.name: one.id
        for one in known
        if state_of(one) == "kept" and (skill := skill_of(one)) is not None
    }
    for failure in read.failures:
        if failure.session > len(matter.sheets) or failure.skill not in kept:
            continue
        sheet = matter.sheets[failure.session - 1]
        cited = {found[0].session_id for n in failure.lines if (found := matter.find_line(n))}
        if failure.skill in sheet.used and sheet.session_id in cited:
            yield SkillItem(
                key=f"fail|{kept[failure.skill]}|{sheet.session_id}",
                do="fail",
                project=matter.project,
                memory=kept[failure.skill],
                session=sheet.session_id,
                model=model,
            )


def _write_draft(tx: Transaction, item: SkillItem, context: StepContext) -> ItemResult:
    words = dict(item.passages)
    turns = [one for one in tx.conversations.list_turns_by_id([*words]) if not one.suppressed]
    if len(turns) < len(words):
        return ItemResult(StepOutcome.CHANGED_SINCE)
    if _name_of(item.content) in {_name_of(one.content) for one in list_skills(tx, item.project)}:
        return ItemResult(StepOutcome.UNCHANGED)
    memory = NewMemory(
        new_id(),
        MemoryType.SKILL,
        _IMPORTANCE,
        _CONFIDENCE,
        item.project,
        Validity.PENDING_CONFIRMATION,
        flag=FLAG,
        scope="project",
    )
    provenance = Provenance(
        source_kind=SourceKind.CONSOLIDATED,
        trust=Trust.TOOL,
        channel=NIGHTLY_CHANNEL,
        client=item.model,
    )
    wording = NewWording(
        content=item.content,
        valid_from=context.at,
        provenance=provenance,
        inferred_by=InferredBy.MODEL,
        passages=tuple(Passage(one.n, words[one.id]) for one in turns),
        structural=StructuralLinks(),
    )
    sessions = {one.session_id for one in turns}
    try:
        context.memory_writer(tx).add(memory, wording, "draw", f"from {len(sessions)} sessions")
    except ForgottenError:
        return ItemResult(StepOutcome.UNCHANGED)
    why = f"a skill, seen in {len(sessions)} sessions; it waits for your word"
    return ItemResult(StepOutcome.DONE, memory.id, why)


def _note_failure(tx: Transaction, item: SkillItem, context: StepContext) -> ItemResult:
    """Count a failure once for each session, and withdraw the skill at the second."""
    memory = tx.memories.get(item.memory)
    if memory is None or memory.validity is not Validity.ACTIVE:
        return ItemResult(StepOutcome.CHANGED_SINCE, item.memory)
    noted = tx.audit.list_entries(item.memory)
    if any(one.action == _FAILED and one.detail == item.session for one in noted):
        return ItemResult(StepOutcome.UNCHANGED)
    writer = context.memory_writer(tx)
    writer.vote(item.memory, up=False)
    log_action(tx, context.at, _FAILED, item.memory, item.session)
    is_withdrawn = withdraw_if_failed(writer, item.memory)
    said = "withdrawn: it failed again" if is_withdrawn else "it failed once"
    return ItemResult(StepOutcome.DONE, item.memory, f"{said}, in session {item.session}")


def _name_of(text: str) -> str | None:
    skill = read_skill(text)
    return None if skill is None else skill.name
