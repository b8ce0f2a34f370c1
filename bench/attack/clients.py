"""Clients that send what no client should: too much, too deep, too far away, half a message."""

import time
from typing import Any

import anyio

from bench.attack.arena import Arena
from bench.attack.attack import slow_attack
from bench.attack.processes import resident_mb

_LONG = "x" * 1_000_000
_DEEP = 2_000
_SLOW_S = 20.0
_LONGEST_ANSWER, _LONGEST_REFUSAL = 100_000, 3_000
_TIMES = (
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z",
    "-5000-01-01",
    "1e400",
    "99999999999999999",
    "now; rm",
    "2026-02-30",
    "2026-01-01T25:61:61Z",
    "2026-01-01T00:00:00+99:99",
    "٢٠٢٦-٠١-٠١",
    "\x00",
    "in 10000000000000000000 years",
    "P1000000000Y",
    "99999999999d",
    "-1d",
    "NaN",
    "",
)
_NUMBERS: tuple[object, ...] = (
    -1,
    0,
    -(10**30),
    10**30,
    1e308,
    1.5,
    True,
    "8",
    None,
    [],
    2**63,
    -(2**63) - 1,
)


@slow_attack
async def send_far_too_much_in_one_call(arena: Arena) -> None:
    """Send a turn of 10 MB, ids of a megabyte, 100,000 ids, names and entities in one call."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("record_conversation", {"turns": [{"role": "user", "content": "x" * 10_000_000}]}),
        ("record_conversation", {"turns": [{"role": "tool", "tool_result": ["x" * 10_000_000]}]}),
        ("record_conversation", {"turns": [{"role": "user", "content": "a", "message_id": _LONG}]}),
        ("record_conversation", {"turns": [{"role": "user", "content": "a", "speaker": _LONG}]}),
        ("record_conversation", {"turns": [], "session_id": _LONG}),
        ("record_conversation", {"turns": [], "workspace": _LONG}),
        ("remember", {"content": _LONG}),
        ("remember", {"content": "a kiln", "entities": ["x"] * 100_000}),
        ("remember", {"content": "a kiln", "entities": [_LONG]}),
        ("remember", {"content": "a kiln", "task": _LONG, "subject": _LONG}),
        ("search_memory", {"query": _LONG}),
        ("search_conversation_traces", {"query": "a " * 500_000}),
        ("get_memory", {"id": _LONG}),
        ("forget_memory", {"ids": ["x"] * 100_000}),
        ("forget_memory", {"ids": [_LONG] * 10}),
        ("update_scratchpad", {"current_focus": _LONG, "session_id": "s"}),
        (_LONG, {}),
        ("remember", {_LONG: 1, "content": "a kiln"}),
    )
    async with arena.connect() as caller:
        for number, (tool, arguments) in enumerate(calls):
            began = time.perf_counter()
            answer = await caller.ask(tool, **arguments)
            took = time.perf_counter() - began
            what = f"call {number}, {tool[:30]} {next(iter(arguments))[:20] if arguments else ''}"
            arena.check(took < _SLOW_S, f"{what} took {took:.0f} s")
            arena.check(len(answer.everything) < _LONGEST_ANSWER, f"{what}: an answer of that size")
            refused = answer.refusal or ""
            arena.check(
                len(refused) < _LONGEST_REFUSAL, f"{what}: a refusal of {len(refused):,} characters"
            )
        arena.check(bool(await caller.remember("The kiln is warm")), "it serves no more")


@slow_attack
async def record_a_hundred_thousand_turns_in_one_call(arena: Arena) -> None:
    """Send 100,000 turns in one call: refused or kept, whole, while others go on being served."""
    turns = [{"role": "user", "content": f"turn {n}"} for n in range(100_000)]
    async with arena.serve() as flood, arena.serve() as other:
        await other.remember("The kiln is warm")
        slowest, done = 0.0, anyio.Event()

        async def watch() -> None:
            nonlocal slowest
            while not done.is_set():
                began = time.perf_counter()
                await other.find("Is the kiln warm?")
                await other.say("The kiln is cold.", session_id=f"o{began}")
                slowest = max(slowest, time.perf_counter() - began)
                await anyio.sleep(0.05)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            answer = await flood.ask("record_conversation", turns=turns, session_id="s")
            done.set()
        kept = answer.refusal is not None or answer.data.get("recorded") == len(turns)
        arena.check(kept, f"{answer.everything[:200]}")
        arena.note("slowest call of another client, s", slowest)
        arena.check(slowest < 10, f"another client waited {slowest:.1f} s")  # noqa: PLR2004
        arena.note("MB of the server afterwards", resident_mb(flood.pid))


@slow_attack
async def send_numbers_and_times_from_nowhere(arena: Arena) -> None:
    """Send negative, endless and foreign numbers and times in every argument that takes one."""
    async with arena.connect() as caller:
        memory = await caller.remember("The kiln is warm")
        for number in _NUMBERS:
            for name in ("limit", "max_tokens", "context"):
                await caller.ask("search_conversation_traces", query="kiln", **{name: number})
            for name in ("limit", "max_tokens"):
                answer = await caller.ask("search_memory", query="kiln", **{name: number})
                told = len(answer.everything)
                arena.check(told < _LONGEST_ANSWER, f"{name}={number}: {told} characters")
            for name in ("offset", "max_chars"):
                await caller.ask("get_memory", id=memory, **{name: number})
            await caller.ask("remember", content=f"The kiln {number} is hot", importance=number)
        for moment in _TIMES:
            for name in ("since", "until", "as_of"):
                await caller.ask("search_memory", query="kiln", **{name: moment})
            for name in ("valid_from", "until"):
                await caller.ask(
                    "remember", content=f"The barn {moment!r} is red", **{name: moment}
                )
            turn = {"role": "user", "content": "Remember: see you tomorrow at 5.", "at": moment}
            await caller.ask(
                "record_conversation",
                turns=[turn],
                session_id=f"s{moment[:9]}",
                event="session_end",
            )
            await caller.ask(
                "revise_memory",
                id=memory,
                action="correct",
                content=f"Kiln {moment!r}",
                until=moment,
                valid_from=moment,
            )
        shown = await caller.show_model("kiln barn tomorrow", memory)
        for place, text in shown.items():
            arena.check("refused: Error" not in text, f"{place}: {text[:200]}")
        pages = await caller.ask("search_memory", query="yesterday " * 40 + "next 99999999 years")
        arena.check(pages.refusal is None or len(pages.refusal) < 500, f"{pages.refusal}")  # noqa: PLR2004


@slow_attack
async def send_characters_that_are_none(arena: Arena) -> None:
    """Send NUL, lone surrogates, noncharacters and 5,000 combining marks in every text."""
    odd = (
        "\x00",
        "a\x00b",
        "\ud83d",
        "\udc00x",
        "\uffff\ufffe",
        "e" + "\u0301" * 5_000,
        "\u2028",
        "﷽" * 500,
        "\U0010ffff",
        "ꓸ" * 3,
        "\x1a",
        "%s%n%x",
        "{0.__class__}",
        "${jndi:ldap://x}",
    )
    async with arena.connect() as caller:
        memory = await caller.remember("The kiln is warm")
        for text in odd:
            for tool, arguments in (
                ("search_memory", {"query": text, "session_id": text, "task": text}),
                ("search_conversation_traces", {"query": text, "tool": text}),
                ("remember", {"content": text, "subject": text, "entities": [text]}),
                ("remember", {"content": f"Kiln {text}", "task": text, "workspace": text}),
                ("revise_memory", {"id": memory, "action": "correct", "content": f"Kiln {text}"}),
                ("get_memory", {"id": text}),
                ("forget_memory", {"ids": [text]}),
                ("update_scratchpad", {"current_focus": text, "session_id": text}),
                (
                    "record_conversation",
                    {
                        "turns": [
                            {"role": "user", "content": text, "speaker": text, "message_id": text}
                        ],
                        "session_id": text,
                        "workspace": text,
                    },
                ),
                (
                    "record_conversation",
                    {
                        "turns": [
                            {
                                "role": "tool",
                                "tool_name": text,
                                "tool_args": {text: text},
                                "tool_result": text,
                            }
                        ],
                        "session_id": "s",
                    },
                ),
            ):
                try:
                    answer = await caller.ask(tool, **arguments)
                except UnicodeEncodeError:
                    continue  # the client itself can't send half a character
                arena.check("codec" not in (answer.refusal or ""), f"{tool}: {answer.refusal}")
        await caller.show_model("kiln")
        arena.check(bool(await caller.find("kiln")), "the kiln is not found any more")


@slow_attack
async def nest_json_without_end(arena: Arena) -> None:
    """Nest tool arguments and results 2,000 deep, with many keys and doubled ones."""
    deep: Any = "bottom"
    for _ in range(_DEEP):
        deep = {"a": [deep]}
    wide = {f"key {n}": n for n in range(20_000)}
    async with arena.connect() as caller:
        values: tuple[Any, ...] = (deep, wide, [[]] * 20_000, [None] * 20_000, {"": {"": ""}})
        for value in values:
            turn = {"role": "tool", "tool_name": "x", "tool_args": value, "tool_result": value}
            began = time.perf_counter()
            try:
                await caller.ask("record_conversation", turns=[turn], session_id="s")
            except (RecursionError, ValueError):
                arena.check(True, "the client itself can't send it")
            took = time.perf_counter() - began
            arena.check(took < _SLOW_S, f"it took {took:.0f} s")
        arena.check(bool(await caller.remember("The kiln is warm")), "it serves no more")


@slow_attack
async def make_patterns_run_for_ever(arena: Arena) -> None:
    """Send texts that make careless patterns backtrack: tags, digits, mails, dates, brackets."""
    half = 100_000
    texts = {
        "open tags": "<private>" * (half // 9),
        "tag starts": "<private " * (half // 9),
        "closing tags": "</memoria>" * (half // 10),
        "brackets": "(" * half,
        "quotes": '"' * half,
        "mails": "a@" * (half // 2),
        "dots": "a." * (half // 2),
        "digits": "1 " * (half // 2),
        "one number": "1" * half,
        "dashes": "1-" * (half // 2),
        "base64": "QUJD" * (half // 4),
        "slashes": "/a" * (half // 2),
        "spaces": " " * half,
        "new lines": "\n" * half,
        "backticks": "`" * half,
        "asterisks": "*a" * (half // 2),
        "colons": "password:" * (half // 9),
        "assignments": "key=" * (half // 4),
        "dates": "2026-01-" * (half // 8),
        "times": "12:" * (half // 3),
        "until": "until " * (half // 6),
        "remember": "Remember: " * (half // 10),
        "quoted lines": "> " * (half // 2),
        "list": "- a\n" * (half // 4),
        "PEM": "-----BEGIN " * (half // 11),
        "hex": "0f" * (half // 2),
        "中文": "我" * half,
        "数字": "一二三四" * (half // 4),
        "标点": "，。" * (half // 2),
        "密码": "密码" * (half // 2),
        "words": "and " * (half // 4),
        "I": "I am " * (half // 5),
        "entities": "&amp;" * (half // 5),
        "urls": "http://a:b@" * (half // 11),
        "JSON": '{"a":' * (half // 5),
        "capitals": "Aa Bb " * (half // 6),
        "combining": "e\u0301" * (half // 2),
        "zero width": "a\u200b" * (half // 2),
        "tables": "| a " * (half // 4),
        "CSV": "a," * (half // 2),
    }
    slowest, worst = 0.0, ""
    async with arena.connect() as caller:
        for how, text in texts.items():
            for tool, arguments in (
                (
                    "record_conversation",
                    {
                        "turns": [{"role": "user", "content": text}],
                        "session_id": how,
                        "event": "session_end",
                    },
                ),
                ("remember", {"content": text[:4_000]}),
                ("search_memory", {"query": text[:4_000]}),
            ):
                began = time.perf_counter()
                await caller.ask(tool, **arguments)
                took = time.perf_counter() - began
                if took > slowest:
                    slowest, worst = took, f"{tool} with {how}"
                arena.check(took < 5, f"{tool} with {how} took {took:.1f} s")  # noqa: PLR2004
    arena.note(f"slowest, s ({worst})", slowest)
