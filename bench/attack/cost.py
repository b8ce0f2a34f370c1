"""Texts that cost far more than their length."""

import random
import time

from bench.attack.arena import Arena
from bench.attack.attack import attack, slow_attack
from bench.attack.caller import Caller

_SHORT, _LONG = 4_096, 16_384
_MOST = 6.0
"""Four times the length may cost four times as much, and something for chance."""
_NOTHING_S = 0.3
"""Below this a ratio says nothing."""
_FRAGMENTS = {
    "blank lines": "\n",
    "blank lines with blanks": " \n\t\n",
    "closing quotes and blank lines": "”\n\n",
    "a half sentence and a quotation": "digests, I like > ",
    "backticks": "`",
    "open brackets": "[(",
    "quotation marks": '"',
    "full stops": ". ",
    "半句": "记住，我喜欢",
    "half a wish": "I prefer that I prefer ",
    "half a rule": "never, always, ",
    "lines of a list": "- \n",
    "colons": "Note: ",
    "a mail's head": "From: a\nTo: b\n",
    "equals signs": "password = ",
    "dashes": "-",
}


_PIECES = (
    '\n|\n\n| |\t|. |, |: |; |- |> |# |* |`|```|"|“|”|‘|’|「|」|(|)|[|]|'
    "{|}|<|>|=|/|\\|@|_|…|，|。|：|I |you |"
    "we |don't |never |always |prefer |like |remember |that |please |password |token |key |not |"
    "my |is |a |0|12|2026-01-02|记住|不要|以后|我|喜欢|说|a@b.c|https://a.b/|ab12CD34|sk-|\u200b"
).split("|")
_RANDOM = 120


async def _check_cost(arena: Arena, caller: Caller, what: str, fragment: str) -> None:
    """Say a fragment again and again, 4 and 16 KB of it."""
    took = []
    for length in (_SHORT, _LONG):
        text = (fragment * (length // len(fragment) + 1))[:length]
        turn = {"role": "user", "content": f"Remember: {text} the end."}
        began = time.process_time()
        await caller.ask("record_conversation", turns=[turn], session_id=f"{what} {length}")
        took.append(time.process_time() - began)
    short, long = took
    steep = long > _MOST * short and long > _NOTHING_S
    arena.check(not steep, f"{what}: {short:.2f} s of 4 KB, {long:.2f} s of 16 KB")


@attack
async def say_what_costs_the_square_of_its_length(arena: Arena) -> None:
    """Say repeated fragments of 4 and of 16 KB: nobody else waits four times four times as long."""
    async with arena.connect(workspace="none") as caller:
        await caller.say("The kiln is warm.")
        for what, fragment in _FRAGMENTS.items():
            await _check_cost(arena, caller, what, fragment)


@slow_attack
async def say_random_fragments_again_and_again(arena: Arena) -> None:
    """Say 120 random fragments, 4 and 16 KB of each: none costs far more than its length."""
    chance = random.Random(1)  # noqa: S311  (chance, no secret)
    async with arena.connect(workspace="none") as caller:
        await caller.say("The kiln is warm.")
        for number in range(_RANDOM):
            fragment = "".join(chance.choices(_PIECES, k=chance.randint(1, 6)))
            await _check_cost(arena, caller, f"{number} {fragment!r}", fragment)
