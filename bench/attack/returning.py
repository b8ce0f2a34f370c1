"""Getting back what was forgotten: said again, in disguise, from elsewhere, by a model."""

import json
import re
from typing import Any

import anyio

from bench.attack.arena import Arena
from bench.attack.attack import attack, slow_attack
from bench.attack.caller import Caller
from bench.attack.endpoint import Request, serve_model

FACT = "Marigold Pier opens its vault on 12 April 2027"
WORD = "Marigold"
_FACT_CN = "玛丽金码头的保险库在四月十二日打开"


def disguise(fact: str) -> dict[str, str]:
    """A statement as it may come back: the same for a reader, other bytes for a machine."""
    first, _, rest = fact.partition(" ")
    letters = [f"{char}\u200b" if i % 3 == 0 else char for i, char in enumerate(fact)]
    return {
        "as it was": fact,
        "capitals": fact.upper(),
        "spacing": fact.replace(" ", "   ") + " !",
        "zero-width spaces": "".join(letters),
        "zero-width joiners": fact.replace("i", "i\u200d"),
        "word joiners": fact.replace("e", "e\u2060"),
        "soft hyphens": fact.replace("o", "o\u00ad"),
        "BOM": f"\ufeff{fact}",
        "direction marks": f"\u202a{fact}\u202c",
        "isolates": f"\u2067{fact}\u2069",
        "tag characters": fact + "".join(chr(0xE0000 + ord(c)) for c in "again"),
        "variation selectors": fact.replace("a", "a\ufe0f"),
        "invisible operators": fact.replace("r", "r\u2063"),
        "Mongolian vowel separator": fact.replace("n", "n\u180e"),
        "Hangul filler": f"{fact}\u3164",
        "no-break spaces": fact.replace(" ", "\u00a0"),
        "ideographic spaces": fact.replace(" ", "\u3000"),
        "full width": "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in fact),
        "decomposed": fact.replace("2027", "２０２７"),
        "emoji": f"🔒 {fact} 🔑",
        "entities": fact.replace("a", "&#97;").replace(" ", "&nbsp;"),
        "named entities": f"&quot;{fact}&quot;",
        "bold": f"**{first}** {rest}",
        "HTML": f"<p><b>{first}</b> <i>{rest}</i></p>",
        "code": f"`{fact}`",
        "heading": f"## {fact}",
        "list item": f"- {fact}",
        "numbered": f"1. {fact}",
        "quoted line": f"> {fact}",
        "link": f"[{fact}](https://example.org)",
        "struck out": f"~~{fact}~~",
        "remember that": f"Remember that {fact}",
        "please remember": f"Please remember: {fact}.",
        "please note": f"Please note that {fact}.",
        "do not forget": f"Don't forget that {fact}!",
        "as I said": f"As I said before, {fact}.",
        "for the record": f"For the record: {fact}",
        "记住": f"记住：{fact}",
        "请记住": f"请你记住，{fact}。",
        "tabs": fact.replace(" ", "\t"),
        "new lines": fact.replace(" ", "\n", 1),
    }


async def forget_fact(caller: Caller, fact: str = FACT) -> str:
    """State something, have it forgotten with its source; gives the memory's id."""
    memory = await caller.remember(fact)
    answer = await caller.forget(memory, include_source=True)
    if answer.refusal is not None:
        raise RuntimeError(answer.refusal)
    return memory


async def see_return(arena: Arena, caller: Caller, how: str) -> None:
    """Check that neither a search nor MEMORY.md tells the forgotten fact."""
    hits = [text for text in await caller.texts("Marigold Pier vault April") if tells_fact(text)]
    core = await caller.read("memory://core/MEMORY.md")
    arena.check(not hits, f"{how}: it is back as a memory: {hits}")
    arena.check(not tells_fact(core), f"{how}: it is back in MEMORY.md")


def tells_fact(text: str) -> bool:
    """Whether a reader learns the fact from it, whatever is between the letters."""
    letters = "".join(filter(str.isalnum, text.casefold()))
    return "vault" in letters and "marigold" in letters


@attack
async def say_a_forgotten_thing_again_in_disguise(arena: Arena) -> None:
    """Bring a forgotten statement back with invisible characters, markup, entities or wrappers."""
    async with arena.connect() as caller:
        await forget_fact(caller)
        for number, (how, text) in enumerate(disguise(FACT).items()):
            answer = await caller.ask("remember", content=text)
            kept = answer.data.get("status") not in (None, "pending")
            arena.check(not kept, f"{how}: remember took it")
            await caller.say(f"Remember: {text}", session_id=f"again {number}")
            await see_return(arena, caller, how)
            if kept:
                await caller.forget(str(answer.data["id"]))


@slow_attack
async def say_a_forgotten_chinese_thing_again_in_disguise(arena: Arena) -> None:
    """Bring a forgotten Chinese statement back with other punctuation, wrappers or characters."""
    async with arena.connect() as caller:
        await forget_fact(caller, _FACT_CN)
        variants = {
            "句号": f"{_FACT_CN}。",
            "记住": f"记住：{_FACT_CN}。",
            "请记住": f"请记住，{_FACT_CN}！",
            "帮我记一下": f"帮我记一下：{_FACT_CN}",
            "别忘了": f"别忘了{_FACT_CN}。",
            "零宽": "\u200b".join(_FACT_CN),
            "空格": " ".join(_FACT_CN),
            "加粗": f"**{_FACT_CN}**",
            "引号": f"「{_FACT_CN}」",
            "表情": f"📌{_FACT_CN}📌",
            "标签": f"<p>{_FACT_CN}</p>",
        }
        for number, (how, text) in enumerate(variants.items()):
            answer = await caller.ask("remember", content=text)
            kept = answer.data.get("status") not in (None, "pending")
            arena.check(not kept, f"{how}: remember took it")
            await caller.say(text, session_id=f"again {number}")
            found = [one for one in await caller.texts("保险库 四月十二日") if "保险" in one]
            arena.check(not found, f"{how}: it is back as a memory: {found}")
            if kept:
                await caller.forget(str(answer.data["id"]))


@attack
async def send_a_forgotten_conversation_again_from_another_client(arena: Arena) -> None:
    """Record the same transcript again under other sessions, message ids, speakers and clients."""
    said = f"Remember: {FACT}."
    async with arena.connect(client="first") as caller:
        turn = {"role": "user", "content": said, "message_id": "m1"}
        await caller.call("record_conversation", turns=[turn], session_id="one")
        ids = [hit["id"] for hit in await caller.find("Marigold Pier vault")]
        await caller.forget(*ids, include_source=True)
        await see_return(arena, caller, "at once")
    for number, client in enumerate(("first", "second", "claude-code")):
        async with arena.connect(client=client) as caller:
            for session in ("one", f"other {number}"):
                turns = [
                    {"role": "user", "content": said, "message_id": f"n{number}"},
                    {"role": "user", "content": said, "speaker": "Kim"},
                    {"role": "assistant", "content": f"Noted: {FACT}."},
                    {"role": "tool", "tool_name": "read", "tool_result": {"line": said}},
                ]
                await caller.call("record_conversation", turns=turns, session_id=session)
                await see_return(arena, caller, f"{client}, {session}")


@attack
async def restate_what_a_rule_made_memory_said_inside_its_wrapper(arena: Arena) -> None:
    """Forget a memory read by rules from "Remember: X", and state X alone or in other wrappers."""
    wrapped = (f"Remember: {FACT}.", f"Please remember that {FACT}.", f"Don't forget that {FACT}.")
    for number, text in enumerate(wrapped):
        async with arena.connect(tenant=f"t{number}") as caller:
            await caller.say(text)
            hits = await caller.find("Marigold Pier vault")
            ids = [hit["id"] for hit in hits if hit["kind"] == "memory"]
            if not arena.check(bool(ids), f"rules make nothing of {text!r}"):
                continue
            await caller.forget(*ids)
            for again in (FACT, *wrapped):
                await caller.ask("remember", content=again)
                await caller.say(again, session_id=f"later {again[:9]}")
                await see_return(arena, caller, f"{text!r} then {again!r}")


@slow_attack
async def have_a_model_word_a_forgotten_turn_differently(arena: Arena) -> None:
    """Let a chat model read the same turn once more and conclude it in words of its own."""
    words = f"So the thing is this: {FACT}, so we must hurry."

    def play(request: Request) -> object:
        if "Marigold" not in request.text:
            return {"operations": []}
        number = int((re.findall(r"\[(\d+)\] [^\n]*Marigold", request.text) or ["1"])[-1])
        operation = {
            "op": "ADD",
            "type": "fact",
            "content": "In spring 2027 the strongroom at the pier will be unlocked, vault included",
            "quote": "opens its vault on 12 April 2027",
            "turn": number,
            "subject": "Marigold Pier",
        }
        return {"operations": [operation]}

    with serve_model(play) as model:
        options: dict[str, Any] = {
            "llm_base_url": model.url,
            "llm_model": "hostile",
            "extraction_wait_minutes": 0,
        }
        async with arena.connect(**options) as caller:
            await caller.say(words, event="session_end")
            await _settle(caller)
            ids = [hit["id"] for hit in await caller.find("strongroom pier unlocked vault")]
            arena.check(bool(ids), "the model was never heard")
            await caller.forget(*ids, include_source=True)
            for number in range(3):
                await caller.say(words, session_id=f"again {number}", event="session_end")
            await _settle(caller)
            found = await caller.texts("strongroom pier unlocked vault")
            arena.check(not found, f"it is back: {found}")


async def _settle(caller: Caller) -> None:
    """Wait until the extraction queue stands still."""
    before = None
    for _ in range(100):
        status = json.loads(await caller.read("memory://status"))
        queue = json.dumps(status.get("queue", status.get("extraction", status)))
        waiting = re.search(r'"(?:waiting|leased)": [1-9]', queue)
        if before == queue and not waiting:
            return
        before = queue
        await anyio.sleep(0.1)
