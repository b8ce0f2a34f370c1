"""In how many ways a forgotten statement can come again, and what merely looks like one.

Each variant turns a statement, which begins with a capital and has no full stop, into the text of a
message. `LOOK_ALIKES` are texts that share words with a forgotten statement and say something else.
"""

import html
import json
import unicodedata
from collections.abc import Callable

Variant = Callable[[str], str]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _between(mark: str) -> Variant:
    """Puts a mark after every second character."""
    return lambda text: "".join(f"{char}{mark if i % 2 else ''}" for i, char in enumerate(text))


def _each_word(before: str, after: str, start: int = 2) -> Variant:
    """Puts marks around each word from one on."""

    def change(text: str) -> str:
        words = text.split(" ")
        return " ".join([*words[:start], *(f"{before}{word}{after}" for word in words[start:])])

    return change


def _shift(first: int) -> Variant:
    """Writes lower-case letters with others that are the same by compatibility."""
    table = {ord(char): first + i for i, char in enumerate(_LETTERS)}
    return lambda text: text.translate(table)


def _halves(joint: str) -> Variant:
    """Puts a joint in the middle, at a space if there is one."""

    def change(text: str) -> str:
        middle = text.rfind(" ", 0, len(text) // 2 + 1)
        if middle < 0:
            return f"{text[: len(text) // 2]}{joint}{text[len(text) // 2 :]}"
        return f"{text[:middle]}{joint}{text[middle + 1 :]}"

    return change


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


SPELLINGS: dict[str, Variant] = {
    "as it was": lambda x: x,
    "shouted": str.upper,
    "in small letters": str.lower,
    "with a full stop": lambda x: f"{x}.",
    "with exclamation marks": lambda x: f"{x}!!",
    "with doubled spaces": lambda x: x.replace(" ", "  "),
    "with non-breaking spaces": lambda x: x.replace(" ", "\u00a0"),
    "with narrow spaces": lambda x: x.replace(" ", "\u202f"),
    "over two lines": _halves("\n"),
    "over two lines of a quotation": lambda x: "> " + _halves("\n> ")(x),
    "over two lines of a comment": lambda x: "# " + _halves("\n# ")(x),
    "with a tab": _halves("\t"),
    "with zero-width spaces": _between("\u200b"),
    "with zero-width joiners": _between("\u200d"),
    "with word joiners": _between("\u2060"),
    "with soft hyphens": _between("\u00ad"),
    "with byte order marks": lambda x: "\ufeff" + _between("\ufeff")(x),
    "with direction marks": lambda x: f"\u202a{_between(chr(0x200E))(x)}\u202c",
    "with variation selectors": _between("\ufe0f"),
    "with tag characters": _between("\U000e0041"),
    "with control characters": _between("\u0008"),
    "with emoji": lambda x: f"🔐 {_halves(' 🎉👍🏽 ')(x)} 👨‍👩‍👧",
    "with HTML entities": lambda x: html.escape(x).replace(" ", "&nbsp;"),
    "in numeric entities": lambda x: "".join(f"&#{ord(char)};" for char in x),
    "escaped twice": lambda x: html.escape(html.escape(x.replace(" ", "\u00a0", 1))).replace(
        "\u00a0", "&amp;nbsp;"
    ),
    "in HTML": lambda x: f"<p class='note'>{_halves(' <b>')(x)}</b></p>",
    "with a line break in HTML": _halves("<br/>\n"),
    "in an HTML attribute": lambda x: f'<img alt="{x}" src="a.png">',
    "in an HTML comment": lambda x: f"Look at this <!-- {x} --> page",
    "in bold": lambda x: f"**{x}**",
    "with bold words": _each_word("**", "**"),
    "with words in italics": _each_word("_", "_"),
    "with code": _each_word("`", "`"),
    "struck out": lambda x: f"~~{x}~~",
    "as a heading": lambda x: f"## {x} ##",
    "as a link": lambda x: f"See [{x}](https://example.org/a).",
    "with a link inside": _each_word("[", "](https://example.org)", start=3),
    "as a list item": lambda x: f"Notes:\n- buy milk\n- {x}\n- call Bob",
    "as a numbered item": lambda x: f"1. {x}\n2. call Bob",
    "as a task of a list": lambda x: f"- [x] {x}",
    "in a table": lambda x: f"| what | now |\n|---|---|\n| {x} | yes |",
    "over the cells of a table": lambda x: f"| {_halves(' | ')(x)} |",
    "in a code block": lambda x: f"```text\n{x}\n```",
    "in quotation marks": lambda x: f'He said: "{x}".',
    "in smart quotation marks": lambda x: f"“{x}”, that is it",
    "in guillemets": lambda x: f"« {x} »",
    "in brackets": lambda x: f"By the way ({x})",
    "with dashes around": lambda x: f"Well — {x} — as you know",
    "in full-width forms": _wide,
    "in mathematical letters": _shift(0x1D41A),
    "in circled letters": _shift(0x24D0),
    "decomposed": lambda x: unicodedata.normalize("NFD", x),
    "with letters that look the same": lambda x: x.translate(str.maketrans("aeoc", "аеос")),
    "with trailing dots": lambda x: f"{x}...",
    "asked": lambda x: f"{x}?",
}  # fmt: skip
"""The same statement, written in another way or with something around it."""

WRAPPINGS: dict[str, Variant] = {
    "remember that": lambda x: f"Remember that {x}",
    "please remember": lambda x: f"Please remember: {x}.",
    "please note": lambda x: f"Please note: {x}",
    "keep in mind": lambda x: f"Keep in mind that {x}, will you?",
    "as I said": lambda x: f"As I said, {x}",
    "I told you that": lambda x: f"I told you that {x} yesterday",
    "在中文里记住": lambda x: f"请记住：{x}",
    "请记住": lambda x: f"请记住{x}。",
    "正如我说过的": lambda x: f"正如我说过的，{x}",
    "with a date": lambda x: f"[2026-05-03 10:22] {x}",
    "with a speaker": lambda x: f"Ann: {x}",
    "with a date and a speaker": lambda x: f"03.05.26, 10:22 - Ann: {x}",
    "quoted by the assistant": lambda x: f"Sure! You told me: “{x}”. Shall I go on?",
    "in a longer message": lambda x: (
        f"Good morning. {x}. What is the weather like? {'Fine. ' * 30}"
    ),
    "in the middle of a sentence": lambda x: f"I think it was because {x} that they came so late",
    "with what follows": lambda x: f"{x}, and that is why I ask",
    "in JSON": lambda x: f'{{"note": "{x}", "n": 1}}',
    "in JSON with escapes": lambda x: json.dumps({"note": f"So:\n{x}"}),
    "in a log": lambda x: f"2026-05-03T10:22:01Z INFO app.notes: {x} (id=4)",
    "in a mail": lambda x: f"Dear all,\n\n{x}.\n\nKind regards\nAnn",
}
"""The same statement within other words."""

VARIANTS = {**SPELLINGS, **WRAPPINGS}

STATEMENTS = (
    "My cousin's boat is called zeta4711",
    "I moved to the zetavillage in 2019",
    "我搬到了泽塔村4711号",
)

LOOK_ALIKES = (
    ("I moved to Oslo", "I moved to Bergen"),
    ("I moved to Oslo", "Anna moved to Oslo"),
    ("I moved to Oslo", "I never moved to Oslo"),
    ("I moved to Oslo", "Oslo is where I want to go on holiday"),
    (
        "I moved to Oslo",
        " ".join(f"In week {i} we spoke of ferries and of Oslo." for i in range(75)),
    ),
    ("My locker is 4711", "My locker is 4712"),
    ("My locker is 4711", "My locker is 47110"),
    ("My locker is 4711", "4711 is a perfume from Cologne"),
    ("My locker is 4711", "Is my locker still free if I come later?"),
    ("It is -5 degrees in the cellar", "It is 5 degrees in the cellar"),
    ("The ticket costs $5 at the door", "The ticket costs €5 at the door"),
    ("We write the server in C++ here", "We write the server in C here"),
    ("Version 1.5 is in use at the bank", "Version 15 is in use at the bank"),
    ("I am allergic to shellfish", "I am not allergic to shellfish"),
    ("I am allergic to shellfish", "I am allergic to penicillin"),
    ("I like tea", "I like tea with milk"),
    ("I have a cat", "I have a cat allergy"),
    ("My dog is Rex", "My dog is older than Rex"),
    ("yes", "yes, I will be there at nine"),
    ("Call Bob", "Call Bob and Ann tomorrow"),
    ("我住在上海", "我住在上海路十二号"),
    ("我住在上海", "我住在北京"),
    ("我对花生过敏", "我对虾过敏"),
    ("我对花生过敏", "我对花生不过敏"),
    ("我的座位是4711", "我的座位是4712"),
)
"""(what was forgotten, what says something else)"""
