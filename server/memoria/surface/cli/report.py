"""Reports of the commands that look after a home: as JSON, in words, as tables."""

from pathlib import Path
from typing import TYPE_CHECKING

from memoria.model import Finding, Health, Repair, Statistics, to_iso, to_millis
from memoria.model.base import Value
from memoria.model.model_call import describe_cost
from memoria.surface.cli.private import describe_private
from memoria.surface.cli.times import day

if TYPE_CHECKING:
    from rich.table import Table

    from memoria.admin.backup import BackupReport
    from memoria.app.upkeep import Diagnosis, Restored

_STATES = {"ok": "[green]ok[/]", "warning": "[magenta]warning[/]", "error": "[red]error[/]"}


class WireHealth(Value):
    """Repairs by doctor, and its findings afterwards."""

    sound: bool
    findings: list[Finding]
    repairs: list[Repair] | None = None


class WireBackup(Value):
    """A backup that was written."""

    path: str
    size: int
    made_at: str
    kept_until: str | None
    schema_number: int
    counts: dict[str, int]
    files: list[str]
    deleted: list[str]
    left_out: list[str] | None = None


class WireRestore(Value):
    """A backup that replaced the home."""

    home: str
    former_database: str | None
    forgotten_again: int | None
    sound: bool
    findings: list[Finding]


def wire_health(diagnosis: "Diagnosis", treatment: str) -> WireHealth:
    """Return the JSON of a diagnosis."""
    return WireHealth(
        sound=diagnosis.health.is_sound,
        findings=list(diagnosis.health.findings),
        repairs=None if treatment == "none" else list(diagnosis.mended),
    )


def wire_restore(home: Path, restored: "Restored", diagnosis: "Diagnosis") -> WireRestore:
    """Return the JSON of a restore."""
    return WireRestore(
        home=str(home),
        former_database=None if restored.former is None else str(restored.former),
        forgotten_again=restored.forgotten_again,
        sound=diagnosis.health.is_sound,
        findings=list(diagnosis.health.findings),
    )


def wire_backup(report: "BackupReport") -> WireBackup:
    """Return the JSON of a backup."""
    return WireBackup(
        path=str(report.path),
        size=report.size,
        made_at=to_iso(to_millis(report.manifest.made_at)),
        kept_until=None if report.kept_until is None else to_iso(report.kept_until),
        schema_number=report.manifest.schema_number,
        counts=report.manifest.counts,
        files=list(report.manifest.files),
        deleted=[str(path) for path in report.deleted],
        left_out=list(report.left_out) or None,
    )


def backup_text(report: "BackupReport") -> str:
    """Render a backup in words."""
    counts = ", ".join(f"{name} {count:,}" for name, count in report.manifest.counts.items())
    lines = [
        f"{report.path} ({report.size:,} bytes), read back and sound.",
        f"It holds: {counts}; and {', '.join(report.manifest.files)}.",
    ]
    if report.kept_until is not None:
        until = day(report.kept_until)
        lines.append(f"It is kept until {until}. Copy it to another disk to be safe from this one.")
    lines += (f"Not in it: {sentence}" for sentence in report.left_out)
    if report.deleted:
        lines.append(f"Deleted as too old: {', '.join(path.name for path in report.deleted)}")
    return "\n".join(lines)


def restore_text(home: Path, file: Path, restored: "Restored", health: Health) -> str:
    """Render a restore in words; what is not as it should be stands in a table of its own."""
    lines = [f"{home} is now as it was in {file.name}."]
    if restored.former is not None:
        lines.append(f"What was there is in {restored.former.parent}.")
    if restored.forgotten_again is None:
        lines.append("It can't be read: what was forgotten since the backup may be back.")
    elif restored.forgotten_again:
        lines.append(f"Forgotten since, and forgotten again: {restored.forgotten_again}.")
    if health.is_sound:
        lines.append("Checked: sound." if not health.notable else "Checked: sound, but:")
    return "\n".join(lines)


def health_table(health: Health) -> "Table":
    """Return the findings as a table, a line each."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table("check", "state", "what was found", "cure", box=None, pad_edge=False)
    for finding in health.findings:
        cure = Text(finding.cure or "", overflow="fold")
        detail = Text(finding.detail, overflow="fold")
        table.add_row(finding.check, _STATES[finding.state], detail, cure)
    return table


def stats_table(figures: Statistics) -> "Table":
    """Return the figures as a table, a line each."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, show_header=False, pad_edge=False)
    memories = ", ".join(f"{count} {validity}" for validity, count in figures.memories.items())
    rows = {
        "tenant": figures.tenant,
        "sessions": f"{figures.sessions:,}",
        "turns": f"{figures.turns:,} ({figures.turn_versions - figures.turns:,} older versions)",
        "memories": memories or "none",
        "raw text": f"{figures.raw_bytes:,} bytes in {figures.raw_chunks:,} chunks, "
        f"{figures.stored_bytes:,} stored",
        "database": f"{figures.database_bytes:,} bytes (all tenants)",
        "vectors": f"{figures.vectors:,}; {figures.backlog.pending:,} waiting, "
        f"{figures.backlog.failed:,} given up",
        "extraction queue": f"{figures.queue.waiting:,} waiting, {figures.queue.done:,} done, "
        f"{figures.queue.dead:,} given up",
    }
    if figures.waiting:
        rows["hooks"] = f"{figures.waiting:,} entries wait to be taken in"
    if figures.reading.calls:
        rows["chat model"] = _describe_reading(figures)
    if figures.private:
        rows["private time"] = f"on in {describe_private(figures.private)}; nothing is kept there"
    for name, value in rows.items():
        table.add_row(name, Text(value))
    return table


def _describe_reading(figures: Statistics) -> str:
    """Say what the chat model took for conversation, and its cost where prices were stated."""
    price, today = figures.reading, f"today {figures.today.tokens:,} tokens"
    parts = [f"{price.calls:,} calls in 30 days", today]
    if price.per_thousand is not None:
        parts.insert(0, f"{price.per_thousand:,} tokens for 1,000 of conversation")
    if figures.reading_cost is not None and figures.cost_today is not None:
        parts[-2] += f" for {describe_cost(figures.reading_cost)}"
        parts[-1] += f" for {describe_cost(figures.cost_today)}"
    return ", ".join(parts)
