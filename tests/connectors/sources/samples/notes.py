"""Folders of notes."""

from pathlib import Path

from tests.connectors.sources.samples.base import ANNA, LIN

from memoria.connectors.notes.note import MARKER


def write_basic_memory(folder: Path) -> Path:
    (folder / "garden.md").write_text(
        f"""---
title: Anna's allotment
type: note
permalink: garden/annas-allotment
created: 2026-02-01T09:00:00Z
tags: [garden]
---

# Anna's allotment

Bed 4 lies in the sun. See [[Leeks|the leeks]].

## Observations
- [fact] {ANNA} #berries (counted twice)
- [preference] Anna likes rye bread #food

## Relations
- belongs_to [[Allotment Club]]
- [[林岚]]

## 记录
{LIN}
""",
        "utf-8",
    )
    return folder


def write_obsidian(folder: Path) -> Path:
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "workspace.json").write_text("{}")
    (folder / "daily").mkdir()
    (folder / "daily" / "2026-03-01.md").write_text(
        f"# 2026-03-01\n\n{ANNA}.\n\n```\n# no heading\n```\n\n## Evening\n\n{LIN}\n", "utf-8"
    )
    (folder / "Exported.md").write_text(f"---\nid: x\n---\n{ANNA}, twice\n\n{MARKER}\n", "utf-8")
    return folder


def write_notes(folder: Path) -> Path:
    (folder / "todo.txt").write_text(f"{ANNA}\n", "utf-8")
    (folder / "球.md").write_text(f"---\ndate: 2026-03-01\n---\n{LIN}\n", "utf-8")
    return folder


def damage_encoding(path: Path) -> None:
    (path / "todo.txt").write_bytes(b"\xff\xfe caf\xe9")


def damage_front_matter(folder: Path) -> None:
    """What stands above a note is no longer YAML; what it says, is."""
    note = next(iter(sorted(folder.rglob("*.md"), key=lambda one: -len(one.parts))))
    content = note.read_text("utf-8")
    bad = "tags: [garden\n"
    spoilt = content.replace("---\n", f"---\n{bad}", 1)
    note.write_text(spoilt if content.startswith("---") else f"---\n{bad}---\n{content}", "utf-8")
