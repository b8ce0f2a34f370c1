"""Forgetting in words: what would be forgotten, what was forgotten, and the report."""

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memoria.bare.home import name_memory
from memoria.config import Settings
from memoria.errors import name_option
from memoria.model import to_iso
from memoria.model.base import count_end_chars
from memoria.model.forgetting import (
    ForgetItem,
    ForgetKind,
    ForgetPreview,
    ForgetReport,
    ForgetResult,
    ForgetSelection,
    RemainingBackup,
)
from memoria.model.search import FULL_ID
from memoria.retrieval.answer.form import indent_words
from memoria.surface.text import quantity

_KINDS: Mapping[str, tuple[str, str]] = {
    "memory": ("memory", "memories"),
    "duplicate": ("duplicate", "duplicates"),
    "conclusion": ("conclusion", "conclusions"),
    "correction": ("waiting correction", "waiting corrections"),
    "derived": ("derived memory", "derived memories"),
    "episode": ("summary", "summaries"),
    "wording": ("former wording", "former wordings"),
    "turn": ("turn", "turns"),
    "note": ("task name", "task names"),
    "line": ("line of a file", "lines of files"),
    "file": ("file", "files"),
}
_NOTHING = "Nothing is there to be forgotten."
_NEAR = "Not among it: what says nearly the same, or was said as it was corrected."
_IN_FILES: tuple[ForgetKind, ...] = ("line", "file")
"""Kinds of items that are named by their place."""
_KEEPABLE: tuple[ForgetKind, ...] = ("duplicate", "conclusion", "correction", "wording", "turn")


@dataclass(frozen=True, slots=True)
class Reader:
    """Form of ids, times and options for a reader: an agent, or a person at a terminal."""

    id_chars: int
    """Number of last characters of an id to write."""
    moment: Callable[[int], str]
    include_source: str
    keep: str
    memory: tuple[str, ...] = ()
    """Options that name the memory in a command; none where it is the default one."""

    def command(self, *words: str) -> str:
        """Write a command on this memory."""
        return shlex.join(("memoria", *self.memory, *words))

    def name(self, record_id: str) -> str:
        """Write an id."""
        return record_id[-self.id_chars :]

    def list_ids(self, ids: Iterable[str]) -> str:
        """Write several ids."""
        return ", ".join(map(self.name, ids))


FOR_AGENTS = Reader(FULL_ID, to_iso, include_source="include_source", keep="keep")


def preview_text(
    preview: ForgetPreview, most: int | None = None, reader: Reader = FOR_AGENTS
) -> str:
    """Render what would be forgotten: the counts, then each item, words first and id last.

    Args:
        preview: what would be forgotten.
        most: most items to show.
        reader: who reads the text.
    """
    listed = (*preview.items, *preview.near)
    ids = (item.id for item in listed if item.id and item.kind not in _IN_FILES)
    id_chars = max(count_end_chars(ids), reader.id_chars)
    if preview.is_empty:
        gone = _before_lines(preview, reader)
        return "\n".join(gone) or _NOTHING
    shown = preview.items[:most]
    lines = share_notes(preview)
    lines += [f"To be forgotten: {counts_text(preview.counts)}."]
    lines += [_item_text(item, id_chars) for item in shown]
    if len(shown) < len(preview.items):
        lines.append(f"… and {len(preview.items) - len(shown)} more.")
    turns = [item for item in preview.items if item.kind == "turn"]
    if turns and not preview.include_source:
        lines.append(
            "Turns stay in the verbatim record, and nothing is concluded from them any more; "
            f"{reader.include_source} erases them."
        )
    if any(item.kind in _KEEPABLE for item in preview.items):
        lines.append(
            f"What else is listed than what was named can be kept by its id: {reader.keep}."
        )
    if preview.near:
        lines.append(f"{_NEAR} Name them by id, too, if they should go:")
        lines += [_item_text(item, id_chars) for item in preview.near[:most]]
    return "\n".join(lines)


def share_notes(preview: ForgetPreview) -> list[str]:
    """Return a warning that most of the record would be forgotten; empty if less would be."""
    told = (
        f"{meant} of {quantity(total, *_KINDS[kind])}"
        for kind, (meant, total) in preview.share.items()
    )
    return [f"This is most of what is on record: {', '.join(told)}."] if preview.share else []


def _before_lines(told: ForgetPreview | ForgetResult, reader: Reader) -> list[str]:
    """List items that were forgotten before, and the undo of those that are only hidden."""
    hidden = {one.id: one for one in told.hidden}
    erased = [one for one in told.already_forgotten if one not in hidden]
    lines = [f"Forgotten before: {reader.list_ids(erased)}."] if erased else []
    for report_id, until in dict.fromkeys((one.report_id, one.until) for one in told.hidden):
        ids = reader.list_ids(one.id for one in told.hidden if one.report_id == report_id)
        lines.append(
            f"Forgotten before: {ids}; hidden until {reader.moment(until)} and then erased. Until "
            f"then `{reader.command('undo', reader.name(report_id))}` puts back all of that forget."
        )
    return lines


def counts_text(counts: Mapping[str, int]) -> str:
    """Return the count of each kind in words: `2 memories, 1 turn`."""
    return ", ".join(quantity(number, *_KINDS[kind]) for kind, number in counts.items())


def _item_text(item: ForgetItem, id_chars: int) -> str:
    """Render an item. Stored words are indented further than the line that says what they are."""
    effect = "suppressed" if item.effect == "suppressed" else ""
    named = item.id if item.kind in _IN_FILES else item.id[-id_chars:]
    why = "rests on nothing but turns that go" if item.is_unsupported else ""
    details = " · ".join(filter(None, (_KINDS[item.kind][0], why, effect, named)))
    # Most lines of core files begin with a dash of their own.
    text = item.text.removeprefix("- ") if item.kind == "line" else item.text
    return f"- {indent_words(text)}\n  {details}" if text else f"- {details}"


def forget_command(selection: ForgetSelection, settings: Settings, home: str | None = None) -> str:
    """Return the command that forgets a selection, for a user whose agent may not.

    Args:
        selection: what to forget, with the token of its preview.
        settings: whose memory.
        home: the home to name in the command; None for the default.
    """
    given = selection.model_dump(exclude_defaults=True)
    words = ["memoria", *name_memory(settings.tenant, home), "forget", *given.pop("ids", ())]
    for name, value in given.items():
        option = name_option(name)
        match value:
            case True:
                words.append(option)
            case list() | tuple():
                words += [part for each in value for part in (option, str(each))]
            case _:
                words += [option, str(value)]
    return shlex.join(words)


def forget_text(forgotten: ForgetResult, reader: Reader = FOR_AGENTS) -> str:
    """Render what was forgotten, and where copies are left."""
    return "\n".join([*_outcome_lines(forgotten, reader), *forget_notes(forgotten, reader)])


def _outcome_lines(forgotten: ForgetResult, reader: Reader) -> Iterable[str]:
    report, how = forgotten.report, "forgotten for good"
    if report is not None and report.purge_at is not None:
        how = (
            f"hidden until {reader.moment(report.purge_at)} and then erased; until then "
            f"`{reader.command('undo', reader.name(report.id))}` puts it back"
        )
    if report is not None and "everything" in report.selected_by:
        yield f"Everything is {how}: {counts_text(report.items)}."
        return
    if report is None:
        yield from () if forgotten.already_forgotten else (_NOTHING,)
        return
    yield f"{quantity(len(forgotten.memories), 'memory', 'memories')} {how}."
    if forgotten.turns_erased:
        turns = quantity(len(forgotten.turns_erased), "turn", "turns")
        yield f"{turns} erased from the record: {reader.list_ids(forgotten.turns_erased)}"
    if forgotten.turns_suppressed:
        turns = quantity(len(forgotten.turns_suppressed), "turn", "turns")
        yield (
            f"{turns} left on record, word for word; nothing is concluded from it any more. To "
            f"erase it as well, forget {reader.list_ids(forgotten.turns_suppressed)} with "
            f"{reader.include_source}."
        )


def forget_notes(forgotten: ForgetResult, reader: Reader = FOR_AGENTS) -> list[str]:
    """List further sentences on a forget: what is kept, files, backups, the report."""
    notes = _before_lines(forgotten, reader)
    if forgotten.related_memories:
        notes.append(
            "Kept, though they rest on it or repeat its words; forget them by id if "
            f"they should go: {reader.list_ids(forgotten.related_memories)}."
        )
    if forgotten.near_turns:
        notes.append(
            "Still on record: turns that say nearly the same, or were said as it was corrected; "
            f"forget them by id if they should go: {reader.list_ids(forgotten.near_turns)}."
        )
    notes += _file_notes(forgotten)
    if not forgotten.scrubbed:
        notes.append(
            "It is gone from every answer; its bytes are not wiped from the database yet: somebody "
            "reads it, the disk is full, or it is a server's, which the nightly job wipes. To wipe "
            f"it now: `{reader.command('doctor', '--fix')}`."
        )
    notes += (_backup_text(one, reader) for one in forgotten.backups)
    if forgotten.report is not None:
        proof = report_line(forgotten.report, reader)
        shows = reader.command("show", reader.name(forgotten.report.id))
        notes.append(f"Proof: {proof} ({shows})")
    return notes


def _file_notes(forgotten: ForgetResult) -> Iterable[str]:
    """Yield sentences on files that were deleted or changed."""
    deleted, report = forgotten.deleted_files, forgotten.report
    for file in forgotten.skill_files:
        yield f"Deleted, with the skill that it had: {file}."
    for file in forgotten.skill_files_left:
        yield f"You have changed {file}, so it stays: it was the file of a forgotten skill."
    for file in forgotten.files:
        yield f"Deleted: {file}." if file in deleted else f"Lines were taken out of {file}."
    if deleted and report is not None and "everything" not in report.selected_by:
        yield "What was deleted, nightly maintenance had written; it writes it anew, without this."


def _backup_text(backup: RemainingBackup, reader: Reader) -> str:
    until = (
        f"the next backup after {reader.moment(backup.kept_until)} removes it"
        if backup.kept_until is not None
        else "it stays until you delete it"
    )
    return f"{backup.path} of {reader.moment(backup.made_at)} still holds it; {until}."


def reports_text(reports: Iterable[ForgetReport], reader: Reader) -> str:
    """Render reports of what was forgotten, newest first."""
    lines = [
        f"  {report_line(one, reader)}\n"
        f"    {reader.moment(one.at)} · {one.by} · {reader.name(one.id)}"
        for one in reports
    ]
    return "\n".join(lines) or "Nothing was forgotten yet: there is no proof of it."


def report_line(report: ForgetReport, reader: Reader) -> str:
    """Return the state of a forget, and its counts."""
    until = "" if report.purge_at is None else f" until {reader.moment(report.purge_at)}"
    state = f"{report.state}{until if report.state == 'hidden' else ''}"
    left = sum(report.remaining.values())
    rest = f", {quantity(left, 'row', 'rows')} left" if left else ", nothing left"
    counts = counts_text(report.items) or "no memory"
    return f"{state}: {counts}{rest if report.state == 'erased' else ''}"


def report_text(report: ForgetReport, reader: Reader) -> str:
    """Render a report whole: rows that left each index, and digests of what was forgotten."""
    lines = [
        f"Proof of a forgetting, {reader.moment(report.at)}, {report.by}, selected by "
        f"{', '.join(report.selected_by)}",
        report_line(report, reader),
        f"report {reader.name(report.id)}",
        "Rows that left each index (still there in brackets):",
    ]
    places = [*report.removed, *(one for one in report.remaining if one not in report.removed)]
    lines += [
        f"- {place}: {report.removed.get(place, 0)} ({report.remaining.get(place, 0)})"
        for place in places
    ]
    lines.append("Digests (HMAC-SHA256 under the home's key) of what was forgotten:")
    return "\n".join([*lines, *(f"- {digest}" for digest in report.digests)])
