"""Reports of an import that was made or is planned, in words and as JSON."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from memoria.admin.importer import ImportReport
from memoria.config import NO_WORKSPACE
from memoria.connectors.sources.detect import SourceCount, UnknownFile
from memoria.connectors.sources.interface import ImportSource
from memoria.connectors.transcripts.base import BadLine
from memoria.model import to_iso
from memoria.model.base import Value, write_document
from memoria.model.status import USUAL_PRICE, ReadingPrice
from memoria.surface.cli import times
from memoria.surface.cli.layout import entry_lines, wrap_text
from memoria.surface.documents import Document
from memoria.surface.text import redactions_text

_LEAST_PRICE = 0.01
_COLUMN = 22
_SHOWN_FILES = 5
_SHOWN_FOLDERS = 3


_OUTCOMES = (
    *("files", "lines", "recorded", "already_recorded", "new_versions", "made", "projects"),
    *("memories", "forgotten", "private", "nothing_left", "skipped", "stripped", "redactions"),
)


class UnreadText(Value):
    """Amount of imported text that a chat model has still to read."""

    conversation_tokens: int
    cost_tokens: int
    """Most tokens that reading the text takes, estimated from earlier reading."""
    has_model: bool


def write_import(
    report: ImportReport,
    sources: Sequence[ImportSource],
    unknown: Sequence[UnknownFile],
    unread: UnreadText,
    without_vector: int,
) -> Document:
    """Return the outcome of an import as JSON."""
    return write_document(
        sources=[source.name for source in sources],
        **{name: getattr(report, name) for name in _OUTCOMES},
        recoded=report.recoded,
        encodings=list(map(asdict, report.encodings)),
        bad=report.bad,
        bad_lines=_write_bad_lines(report.bad_lines),
        not_understood=[str(file.path) for file in unknown],
        unread=unread,
        without_vector=without_vector,
        next=_next_command(report, unread),
    )


def measure_unread(tokens: int, price: ReadingPrice, *, has_model: bool) -> UnreadText:
    """Estimate the tokens that reading a conversation takes.

    Args:
        tokens: of conversation.
        price: what reading has taken so far.
        has_model: whether a chat model is configured.
    """
    cost = tokens * (price.per_thousand or USUAL_PRICE) // 1000
    return UnreadText(conversation_tokens=tokens, cost_tokens=cost, has_model=has_model)


def render_import(
    reports: Sequence[tuple[ImportSource, ImportReport]],
    unknown: Sequence[UnknownFile],
    unread: UnreadText,
    without_vector: int,
    width: int,
) -> str:
    """Render the outcome of an import, source by source."""
    total = add_reports(report for _, report in reports)
    titles = ", ".join(source.title for source, _ in reports) or "nothing"
    units = {source.unit for source, _ in reports}
    many = _count_units(total.lines, units)
    head = f"Imported {titles}: {_count(total.files, 'file', 'files')}, {many}."
    lines = wrap_text(head, width)
    if len(reports) > 1:
        for source, report in reports:
            lines += entry_lines(f"  {source.title}", [_result_text(report)], width, column=_COLUMN)
        lines.append("Together:")
    for label, parts in (
        ("turns", _turn_parts(total)),
        ("seen from", _project_parts(total.projects)),
        ("memories", _all_memory_parts(total)),
        ("left out", _omission_parts(total)),
        ("read as", _encoding_parts(total)),
    ):
        if parts:
            lines += entry_lines(f"  {label}", [", ".join(parts)], width)
    lines += _problem_lines(total, unknown, width, units)
    lines += _vector_lines(without_vector, width)
    lines += _next_lines(total, unread, width)
    return "\n".join(lines)


def render_stop(report: ImportReport) -> str:
    """Render what a stopped import had brought in, including its last batch.

    The last line stands alone, as the program says itself that what was done is kept.
    """
    parts = _result_text(report)
    return f"Came in so far: {parts}.\nThe same command goes on where it stopped."


def add_reports(reports: Iterable[ImportReport]) -> ImportReport:
    """Add the reports of several files into one."""
    total = ImportReport()
    for report in reports:
        total.add(report)
    return total


def write_count(
    counts: Sequence[SourceCount], unknown: Sequence[UnknownFile], sources: Iterable[ImportSource]
) -> Document:
    """Return what an import would read, as JSON."""
    return write_document(
        sources=list(map(_write_source, counts)),
        not_found=[source.name for source in _missing(counts, sources)],
        not_understood=[str(file.path) for file in unknown],
        next="memoria import --all" if counts else "memoria import --help",
    )


def render_count(
    counts: Sequence[SourceCount], unknown: Sequence[UnknownFile], width: int, command: str
) -> str:
    """Render what an import would read, for a terminal.

    Args:
        counts: what each source has.
        unknown: files that nobody recognises.
        width: cells to a line.
        command: what imports it.
    """
    found = "Nothing was imported. This is what an import would read:"
    lines = [found if counts else "There is nothing here that an import would read."]
    for count in counts:
        lines += entry_lines(f"  {count.source.title}", _count_texts(count), width, column=_COLUMN)
        for bad in count.bad_lines:
            lines += wrap_text(_bad_line_text(bad, count.source.unit), width, 4)
    lines += _unknown_lines(unknown, width)
    if any(count.turns or count.memories for count in counts):
        lines += ["", f"Import it: {command}"]
    return "\n".join(lines)


def render_missing(
    counts: Sequence[SourceCount], sources: Iterable[ImportSource], width: int
) -> str:
    """Render which sources have nothing on this machine, and how to import an export of theirs."""
    missing = ", ".join(source.title for source in _missing(counts, sources))
    text = (
        f"Nothing found here of: {missing}. An export that you have downloaded is found in your "
        "Downloads folder; one that lies elsewhere is imported by its path: memoria import FILE"
    )
    return "\n".join(wrap_text(text, width)) if missing else ""


def _count_texts(count: SourceCount) -> Iterator[str]:
    parts = [_count(count.files, "file", "files")]
    if count.turns:
        parts.append(_count(count.conversations, "conversation", "conversations"))
        parts.append(_count(count.turns, "turn", "turns"))
    if count.memories:
        parts.append(_count(count.memories, "memory", "memories"))
    if count.bad:
        parts.append(f"{count.bad:,} that can't be read")
    yield ", ".join(parts)
    if count.first_at is not None and count.last_at is not None:
        first, last = times.day(count.first_at), times.day(count.last_at)
        yield first if first == last else f"{first} to {last}"
    yield from _places(count.paths)


def _places(paths: Sequence[Path]) -> list[str]:
    """List where files are: the one file, its few folders, or the number of folders."""
    folders = list(dict.fromkeys(path.parent for path in paths))
    if len(paths) <= 1:
        return [_short(path) for path in paths]
    if len(folders) <= _SHOWN_FOLDERS:
        return [_short(folder) for folder in folders]
    shared = Path(os.path.commonpath(folders))
    many = f"{len(folders):,} folders"
    return [many if shared in (Path("/"), *Path.home().parents) else f"{many} in {_short(shared)}"]


def _short(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)


def _missing(counts: Iterable[SourceCount], sources: Iterable[ImportSource]) -> list[ImportSource]:
    known = {count.source.name for count in counts}
    return [
        one for one in sources if one.name not in known and one.name != "jsonl" and one.find is None
    ]


def _write_source(count: SourceCount) -> Document:
    return write_document(
        source=count.source.name,
        places=_places(count.paths),
        files=count.files,
        bytes=count.size,
        conversations=count.conversations,
        turns=count.turns,
        memories=count.memories,
        skipped=count.skipped,
        bad=count.bad,
        bad_lines=_write_bad_lines(count.bad_lines),
        first=None if count.first_at is None else to_iso(count.first_at),
        last=None if count.last_at is None else to_iso(count.last_at),
    )


def _write_bad_lines(bad_lines: Iterable[BadLine]) -> list[Document]:
    return [write_document(**asdict(bad)) for bad in bad_lines]


def _count(many: int, one: str, more: str) -> str:
    return f"{many:,} {one if many == 1 else more}"


def _count_units(many: int, units: set[str]) -> str:
    unit = next(iter(units)) if len(units) == 1 else "item"
    return _count(many, unit, "memories" if unit == "memory" else f"{unit}s")


def _result_text(report: ImportReport) -> str:
    """Return in a line what a source brought in."""
    turns, memories = _turn_parts(report), _memory_parts(report.memories)
    parts = [f"turns: {', '.join(turns)}"] if turns else []
    parts += [f"memories: {', '.join(memories)}"] if memories else []
    return "; ".join(parts) or "nothing"


def _turn_parts(report: ImportReport) -> list[str]:
    counts = (
        (report.recorded, "new"),
        (report.already_recorded, "on record already"),
        (report.new_versions, "edited"),
    )
    return [f"{many:,} {what}" for many, what in counts if many]


def _project_parts(projects: Counter[str]) -> list[str]:
    """List the projects from which new turns are seen."""
    alone = [(name, many) for name, many in projects.most_common() if name != NO_WORKSPACE and many]
    free = projects[NO_WORKSPACE]
    parts = [f"every project: {_count(free, 'turn', 'turns')} of no git repository"] if free else []
    parts += [
        f"{_short(Path(name))} alone: {_count(many, 'turn', 'turns')}"
        for name, many in alone[:_SHOWN_FOLDERS]
    ]
    rest = alone[_SHOWN_FOLDERS:]
    turns = _count(sum(many for _, many in rest), "turn", "turns")
    return [*parts, f"{len(rest):,} more projects, each alone: {turns}"] if rest else parts


def _memory_parts(memories: Counter[str]) -> list[str]:
    counts = (
        (memories["added"], "new"),
        (memories["changed"], "that changed what was known"),
        (memories["past"], "of an earlier time, kept as history"),
        (memories["known"], "known already"),
        (memories["waiting"], "waiting for your word (memoria review)"),
    )
    return [f"{many:,} {what}" for many, what in counts if many]


def _all_memory_parts(report: ImportReport) -> list[str]:
    """List outcomes of imported memories, with memories that turns asked for."""
    by_rules = f"{report.made:,} that messages asked for"
    return [*_memory_parts(report.memories), *([by_rules] if report.made else [])]


def _omission_parts(report: ImportReport) -> list[str]:
    omitted, secrets = redactions_text(report.redactions)
    forgotten = report.forgotten + report.memories["forgotten"]
    private = report.private + report.memories["private"]
    counts = (
        (report.skipped, "by rule"),
        (report.nothing_left, "with nothing left"),
        (forgotten, "forgotten before"),
        (private, "of private time"),
        (report.stripped, "private or injected blocks"),
    )
    parts = [f"{many:,} {what}" for many, what in counts if many]
    parts += [f"passages forgotten before ({omitted})"] if omitted else []
    return [*parts, f"secrets ({secrets})"] if secrets else parts


def _encoding_parts(report: ImportReport) -> list[str]:
    """List the encodings of files that are not in UTF-8."""
    by_name: dict[str, list[str]] = {}
    for one in report.encodings[:_SHOWN_FILES]:
        by_name.setdefault(one.encoding, []).append(_short(Path(one.file)))
    parts = [f"{name}: {', '.join(files)}" for name, files in by_name.items()]
    more = report.recoded - min(len(report.encodings), _SHOWN_FILES)
    return [*parts, f"… and {more:,} more files"] if more > 0 else parts


def _problem_lines(
    report: ImportReport, unknown: Sequence[UnknownFile], width: int, units: set[str]
) -> list[str]:
    lines = []
    if report.bad:
        lines += entry_lines("  not read", [_count_units(report.bad, units)], width)
        unit = next(iter(units)) if len(units) == 1 else "item"
        for bad in report.bad_lines:
            lines += wrap_text(_bad_line_text(bad, unit), width, 4)
        if report.bad > len(report.bad_lines):
            lines.append(f"    … and {report.bad - len(report.bad_lines):,} more")
    return [*lines, *_unknown_lines(unknown, width)]


def _unknown_lines(unknown: Sequence[UnknownFile], width: int) -> list[str]:
    if not unknown:
        return []
    files = _count(len(unknown), "file", "files")
    lines = entry_lines("  not known", [f"{files} that no format fits"], width)
    for file in unknown[:_SHOWN_FILES]:
        lines += wrap_text(f"{_short(file.path)}: {file.description}", width, 4)
    more = len(unknown) - _SHOWN_FILES
    return [*lines, f"    … and {more:,} more"] if more > 0 else lines


def _bad_line_text(bad: BadLine, unit: str) -> str:
    where = bad.file if bad.line is None else f"{bad.file} {unit} {bad.line}"
    return f"{where}: {bad.problem}"


def _vector_lines(without_vector: int, width: int) -> list[str]:
    if not without_vector:
        return []
    texts = _count(without_vector, "text has", "texts have")
    text = (
        f"{texts} no vector yet: found by words now, by meaning later. A server makes the vectors "
        "in the background, and so does the same command without --no-wait."
    )
    return ["", *wrap_text(text, width)]


def _next_lines(report: ImportReport, unread: UnreadText, width: int) -> list[str]:
    command = _next_command(report, unread)
    if command is None:
        return []
    if not unread.conversation_tokens:
        return ["", f"Next: {command}"]
    text = (
        f"A chat model would still read {unread.conversation_tokens:,} tokens of conversation to "
        f"make memories of it: about {unread.cost_tokens:,} tokens in all (at a price of 1.00 a "
        f"million, {_describe_price(unread.cost_tokens)})"
    )
    text += (
        ". It does so in the background."
        if unread.has_model
        else ". None is configured, and every turn can be searched without; `memoria model` finds "
        "one that you have."
    )
    return ["", *wrap_text(text, width), f"Next: {command}"]


def _describe_price(tokens: int) -> str:
    price = tokens / 1_000_000
    return f"{price:,.2f}" if price >= _LEAST_PRICE else f"less than {_LEAST_PRICE}"


def _next_command(report: ImportReport, unread: UnreadText) -> str | None:
    if not (_turn_parts(report) or _memory_parts(report.memories)):
        return None
    if unread.conversation_tokens and unread.has_model:
        return "memoria model queue run"
    return 'memoria search "…"'
