"""What somebody says in confidence, and what they ask not to have kept anywhere."""

from collections.abc import Mapping
from typing import Literal

from bench.attack.arena import Arena
from bench.attack.attack import attack, slow_attack
from bench.attack.caller import Caller
from bench.attack.remains import find_remains

How = Literal["remember", "rule", "record"]

_TOLD: tuple[tuple[How, str], ...] = (
    ("remember", "Don't tell anyone: I have a job interview at zqcorvo on Monday"),
    ("rule", "Always book my zqcorvo interviews after six, and keep that to yourself"),
    ("record", "Remember that I will leave for zqcorvo in March, nobody here may know."),
    ("record", "From now on call me zqcorvo, but that stays between us."),
    ("remember", "I tell you in confidence that I am on zqcorvo pills"),
    ("remember", "别告诉别人，我周一去 zqcorvo 面试"),
    ("rule", "悄悄告诉你，以后我的 zqcorvo 面试都安排在下班以后"),
    ("record", "记住：我三月要去 zqcorvo 上班，先不要让任何人知道。"),
    ("record", "这是秘密，以后叫我 zqcorvo，你知我知。"),
)
_CONDITIONS = (
    "anyone",
    "yourself",
    "nobody",
    "between us",
    "confidence",
    "别",
    "悄悄",
    "不要",
    "秘密",
)
_UNKEPT: tuple[tuple[How, str], ...] = (
    ("record", "Keep this nowhere: I was at the zqmoth clinic yesterday."),
    ("record", "Don't remember this: the clinic found zqmoth."),
    ("remember", "Do not store this anywhere: the user earns zqmoth at the clinic"),
    ("remember", "Off the record, the user can't stand zqmoth at the clinic"),
    ("record", "这个不要记录：我昨天去了 clinic 查 zqmoth。"),
    ("remember", "别记下来：用户在 clinic 挣 zqmoth"),
)
_CORE = ("MEMORY.md", "USER.md", "PERSONA.md")


async def _say(caller: Caller, how: How, text: str) -> None:
    if how == "record":
        await caller.say(text, event="session_end")
    else:
        await caller.ask("remember", content=text, type="rule" if how == "rule" else "fact")


async def _told_unasked(arena: Arena, tenant: str) -> Mapping[str, str]:
    """Everything that another project's agent is told before it asks."""
    async with arena.connect(tenant, workspace="employer") as caller:
        shown = {"instructions": caller.client.instructions or ""}
        shown["briefing"] = await caller.prompt("briefing")
        for name in _CORE:
            shown[name] = await caller.read(f"memory://core/{name}")
        return shown


@attack
async def be_told_at_the_start_what_was_said_in_confidence(arena: Arena) -> None:
    """Begin a session in another project: nothing told in confidence is said before a question."""
    for number, (how, text) in enumerate(_TOLD):
        async with arena.connect(tenant := f"t{number}", workspace="none") as caller:
            await _say(caller, how, text)
            found = (await caller.ask("search_memory", query="zqcorvo")).text
        told = [
            place
            for place, said in (await _told_unasked(arena, tenant)).items()
            if "zqcorvo" in said
        ]
        arena.check(not told, f"{how} {text!r}: it is told unasked in {told}")
        arena.check("zqcorvo" in found, f"{how} {text!r}: who asks does not find it")
        shown = any(condition in found for condition in _CONDITIONS)
        arena.check(shown, f"{how} {text!r}: a search does not show its condition: {found[:150]}")


@slow_attack
async def read_in_files_what_was_said_in_confidence(arena: Arena) -> None:
    """Let nights pass and export notes: nothing told in confidence is in a core file or a page."""
    for number, (how, text) in enumerate(_TOLD):
        arena.home = arena.folder / f"home-{number}"
        async with arena.connect(workspace="none") as caller:
            await _say(caller, how, text)
            await caller.remember("The kiln of Lin is warm", entities=["Lin"])
        await arena.run("nightly")
        vault = arena.folder / f"vault-{number}"
        await arena.run("export", vault, "--format", "markdown")
        left = find_remains(vault, "zqcorvo")
        arena.check(not left, f"{how} {text!r}: an export of notes has it: {left}")
        arena.check(any(vault.rglob("*.md")), "there is no note at all")
        written = [
            place
            for place, data in arena.read_home().items()
            if place.endswith(".md") and b"zqcorvo" in data
        ]
        arena.check(not written, f"{how} {text!r}: it stands in {written}")


@attack
async def find_what_was_to_be_kept_nowhere(arena: Arena) -> None:
    """Ask for what somebody asked not to have kept: it is in no answer of any face."""
    for number, (how, text) in enumerate(_UNKEPT):
        async with arena.connect(f"t{number}", workspace="none") as caller:
            await caller.remember("The kiln is warm")
            await _say(caller, how, text)
            shown = await caller.show_model("clinic")
            told = [place for place, said in shown.items() if "zqmoth" in said]
            arena.check(not told, f"{how} {text!r}: it is told in {told}")
