"""Whatever a model puts around or into its answer, each operation in it that is sound is kept."""

import html
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.inference.chat.answers import read_answer
from memoria.inference.chat.base import ChatReply, ChatRequest
from memoria.inference.chat.loose_answer import LooseAnswer, read_loosely
from memoria.inference.tasks import Extraction, SegmentReading
from memoria.inference.templates import load_template
from memoria.model import Add, Delete, Link, Update
from memoria.model.operation import Rulings

FIRST = {
    "op": "ADD",
    "type": "preference",
    "content": "The user drinks oat milk.",
    "quote": "only oat milk for me",
    "turn": 1,
    "subject": "user",
    "predicate": "milk",
}
SECOND = {
    **FIRST,
    "type": "fact",
    "content": "用户住在“杭州”。",
    "quote": "我住在“杭州”",
    "turn": 2,
}
BOTH = [FIRST, SECOND]


def lines(given: dict[str, Any], form: str) -> str:
    return "\n".join(form.format(name, value) for name, value in given.items())


def tags(given: dict[str, Any]) -> str:
    return "".join(f"<{name}>{value}</{name}>" for name, value in given.items())


def arguments(given: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())


def table(row: str, between: str) -> str:
    rows = [[*FIRST], *([*map(str, x.values())] for x in BOTH)]
    rows.insert(1, ["---"] * len(FIRST) if between != "," else [])
    return "\n".join(row.format(between.join(x)) for x in rows if x)


WHOLE = json.dumps({"operations": BOTH}, ensure_ascii=False)
PRETTY = json.dumps({"operations": BOTH}, ensure_ascii=False, indent=2)
ONE, OTHER = (json.dumps(x) for x in BOTH)
NOTHING = Extraction(operations=())
NO_ANSWERS = ["", "No.", "[1] and {that}", "{" * 5000, "[" * 200_000, '{"a": 1}']


def read(text: str, answer: type[Any] = Extraction) -> LooseAnswer[Any]:
    asked = ChatRequest("extract", "extract/1", "Read.", "Text", answer, 200)
    return read_answer(asked, ChatReply(text, "tiny", 1, 1))


def contents(text: str) -> list[str]:
    return [one.content for one in read(text).value.operations]


def with_field(**fields: object) -> str:
    return json.dumps({"operations": [{**FIRST, **fields}, SECOND]}, ensure_ascii=False)


AROUND = {
    "prose before and after": f"Sure! Here are [2] operations:\n{WHOLE}\nAnything else?",
    "thoughts": f'<think>Turn 1 {{"operations": [{{"op": "ADD"}}]}} perhaps.</think>\n{WHOLE}',
    "thoughts that never end": f"<think>\nThe user says where they live.\n{WHOLE}",
    "a fence": f"```json\n{WHOLE}\n```",
    "a fence with prose": f"My answer:\n```\n{WHOLE}\n```\nDone.",
    "a mark at the beginning": f"\ufeff{WHOLE}",
    "a bare list": json.dumps(BOTH),
    "an object a line": "\n".join(map(json.dumps, BOTH)),
    "a fence for each": "\n".join(f"```json\n{json.dumps({'operations': [x]})}\n```" for x in BOTH),
    "below another name": json.dumps({"memories": BOTH}),
    "in a result": json.dumps({"result": {"operations": BOTH}}),
    "as a text": json.dumps(WHOLE),
    "with every mark escaped": json.dumps(WHOLE)[1:-1],
    "by kind": json.dumps({"operations": {"ADD": BOTH}}),
    "each below its kind": json.dumps({"operations": [{"ADD": x} for x in BOTH]}),
    "numbered": json.dumps({"operations": {f"op{n}": x for n, x in enumerate(BOTH)}}),
    "a command's own envelope": json.dumps({"type": "result", "is_error": False, "result": WHOLE}),
    "one name that nobody knows": WHOLE.replace('"content"', '"note"'),
    "trailing commas": WHOLE.replace("}", ",}").replace("]", ",]"),
    "Python": repr({"operations": [{**FIRST, "negated": False, "task": None}, SECOND]}),
    "comments": WHOLE.replace("[", "[ // what I found\n").replace("}, {", "}, /* and */ {"),
    "smart quotation marks": WHOLE.replace('"op"', "“op”").replace('"content"', "“content”"),
    "full-width signs": WHOLE.replace('": ', '"：').replace(', "', '，"'),
    "a bracket too few": WHOLE[:-2],
    "a bracket too many": WHOLE + "]}",
    "no comma between them": WHOLE.replace("}, {", "}\n{"),
    "names without quotation marks": WHOLE.replace('"op":', "op:").replace('"turn":', "turn:"),
    "the list twice": f'{{"operations": [{ONE}], "operations": [{OTHER}]}}',
    "marks within a text": WHOLE.replace("only oat milk for me", 'only "oat milk", for me'),
    "a line break in a text": WHOLE.replace("only oat milk", "only\noat milk"),
    "more that nobody asked for": json.dumps({"reasoning": "two facts", "operations": BOTH}),
    "a bracket too few within": WHOLE.replace("}, {", ", {"),
    "a bracket too few before": WHOLE.replace('}, {"op"', '}, "op"'),
    "a bracket of the wrong kind": WHOLE.replace("}, {", "}], {"),
    "two brackets for one": WHOLE.replace("{", "{{").replace("}", "}}"),
    "an opening mark too few": WHOLE.replace('"The user drinks', "The user drinks"),
    "a closing mark too few": WHOLE.replace('oat milk.",', "oat milk.,"),
    "names between unlike marks": WHOLE.replace('"op":', "\"op':"),
    "equals signs": WHOLE.replace('": ', '" = '),
    "arrows": WHOLE.replace('": ', '" => '),
    "texts that are added up": WHOLE.replace("drinks oat", 'drinks " + "oat'),
    "three marks": WHOLE.replace('"The user drinks oat milk."', '"""The user drinks oat milk."""'),
    "dots for more": WHOLE.replace("]}", ", ...]}"),
    "dots in an example before": f'It has the form {{"operations": [...]}}, so:\n{WHOLE}',
    "remarks between": WHOLE.replace("}, {", "},\nAnd one more:\n{"),
    "colours of a terminal": f"\x1b[2K\x1b[32mmodel\x1b[0m\n{WHOLE}\x1b[0m",
    "brackets of a terminal": f"[2K[1G> [32mmodel\n{WHOLE}",
    "a quoted page": "\n".join(f"> {x}" for x in PRETTY.splitlines()),
    "numbers of lines": "\n".join(f"{n:3} | {x}" for n, x in enumerate(PRETTY.splitlines(), 1)),
    "added lines": "\n".join(f"+{x}" for x in PRETTY.splitlines()),
    "the escapes of a page": f"<pre>{html.escape(WHOLE)}</pre>",
    "line ends as escapes": PRETTY.replace("\n", "\\n"),
    "each as a text": json.dumps({"operations": [ONE, OTHER]}),
    "the list as a text": json.dumps({"operations": json.dumps(BOTH)}),
    "a text whose marks are bare": f'{{"name": "extract", "arguments": "{WHOLE}"}}',
    "an endpoint's envelope": json.dumps({"content": [{"type": "text", "text": WHOLE}]}),
    "fields one deeper": json.dumps([{"op": x["op"], "memory": {**x, "op": ""}} for x in BOTH]),
    "calls of tools": json.dumps(
        [{"type": "function", "function": {"name": "add_memory", "arguments": ONE}}, SECOND]
    ),
    "by column": json.dumps({"operations": {n: [x[n] for x in BOTH] for n in FIRST}}),
    "rows below names": json.dumps({"operations": [[*FIRST], *([*x.values()] for x in BOTH)]}),
    "by turn": json.dumps({"turn 1": [FIRST], "turn 2": [SECOND]}),
    "calls": "\n".join(f"ADD({arguments(x)})" for x in BOTH),
    "a list of calls": f"operations = [{', '.join(f'dict({arguments(x)})' for x in BOTH)}]",
    "YAML": "operations:\n"
    + "\n".join(lines(x, "    {}: {}").replace("    ", "  - ", 1) for x in BOTH),
    "TOML": "\n".join("[[operations]]\n" + lines(x, '{} = "{}"') for x in BOTH),
    "labels": "\n\n".join(lines(x, "{}: {}") for x in BOTH),
    "bold labels in a list": "\n".join(f"**One:**\n{lines(x, '- **{}:** {}')}" for x in BOTH),
    "labels below headings": "\n\n".join(f"### ADD\n{lines(x, '* `{}`: {}')}" for x in BOTH),
    "a line each": "\n".join(f"{n}. {json.dumps(x)[1:-1]}" for n, x in enumerate(BOTH, 1)),
    "a table": table("| {} |", " | "),
    "a table of commas": table("{}", ","),
    "a table each": "\n\n".join(
        f"| name | value |\n|---|---|\n{lines(x, '| {} | {} |')}" for x in BOTH
    ),
    "tags": f"<operations>{''.join(f'<add>{tags(x)}</add>' for x in BOTH)}</operations>",
    "tags in a fence": f"```xml\n{''.join(f'<item>{tags(x)}</item>' for x in BOTH)}\n```",
    "the same once more": json.dumps({"operations": [*BOTH, FIRST]}) + "\nThat is all.",
}


@pytest.mark.parametrize("name", AROUND)
def test_operations_are_found_whatever_is_around_them(name: str) -> None:
    answer = read(AROUND[name])
    assert [one.content for one in answer.value.operations] == [x["content"] for x in BOTH]
    assert answer.unfit == ()


FIELDS: dict[str, tuple[dict[str, object], str, object]] = {
    "a name nobody knows": ({"score": 3}, "importance", 0.5),
    "out of ten": ({"importance": 8}, "importance", 0.8),
    "out of a hundred": ({"confidence": 95}, "confidence", 0.95),
    "below nothing": ({"importance": -1}, "importance", 0),
    "a number as a text": ({"importance": "0.8"}, "importance", 0.8),
    "a word for a number": ({"importance": "high"}, "importance", 0.5),
    "nothing": ({"modality": None, "until": None}, "modality", "actual"),
    "an unknown modality": ({"modality": "fact"}, "modality", "actual"),
    "capital letters": ({"modality": "Planned"}, "modality", "planned"),
    "an unknown type": ({"type": "habit"}, "type", "fact"),
    "two weeks": ({"duration": "2 weeks"}, "duration", "14d"),
    "any number of days": ({"duration": "14d"}, "duration", "14d"),
    "a bare number of days": ({"duration": 14}, "duration", "14d"),
    "a year": ({"duration": "1y"}, "duration", "365d"),
    "two days in Chinese": ({"duration": "2天"}, "duration", "2d"),
    "a duration nobody can tell": ({"duration": "a while"}, "duration", "permanent"),
    "a turn that never exists": ({"turn": 0, "importance": "8/10"}, "turn", 1),
    "a turn as a text": ({"turn": "turn 3"}, "turn", 3),
    "the operation in small letters": ({"op": "add"}, "op", "ADD"),
    "no subject": ({"subject": None}, "subject", "user"),
    "no predicate": ({"predicate": ""}, "predicate", ""),
    "an object for a time": ({"event_time": {"at": "May"}}, "event_time", "May"),
    "an object of no use for a time": ({"event_time": {"month": 5}}, "event_time", None),
    "a turn in words": ({"turn": "the third"}, "turn", 3),
    "a turn in Chinese words": ({"turn": "第十二轮"}, "turn", 12),
    "several turns": ({"turn": [4, 5]}, "turn", 4),
    "a turn in an object": ({"turn": {"number": 6, "speaker": "user"}}, "turn", 6),
    "either type": ({"type": "rule|preference"}, "type", "rule"),
    "a type in Chinese": ({"type": "关系"}, "type", "relationship"),
    "a misspelt type": ({"type": "prefrence"}, "type", "preference"),
    "another word for a scope": ({"scope": "global"}, "scope", "everywhere"),
    "a scope left open": ({"scope": "project|everywhere"}, "scope", None),
    "yes": ({"negated": "yes"}, "negated", True),
    "a word for nothing": ({"until": "N/A", "turn": "turn 1"}, "until", None),
    "a fortnight in words": ({"duration": "for two weeks"}, "duration", "14d"),
    "three months in Chinese": ({"duration": "三个月"}, "duration", "90d"),
    "a session in words": ({"duration": "this session only"}, "duration", "session"),
    "minutes": ({"duration": "30 minutes"}, "duration", "permanent"),
    "a quote in pieces": ({"quote": ["only oat", "for me"]}, "quote", "only oat … for me"),
    "a quote in an object": ({"quote": {"text": "oat milk", "turn": 3}}, "quote", "oat milk"),
    "a page's escapes": ({"content": "Ida&#39;s milk"}, "content", "Ida's milk"),
    "escapes that were escaped": ({"content": r"\u725b\u5976"}, "content", "牛奶"),
    "a negation as a text": ({"negated": "true"}, "negated", True),
    "a predicate with spaces": ({"predicate": "favourite milk"}, "predicate", "favourite milk"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_flawed_field_is_mended_or_falls_back_on_its_default(name: str) -> None:
    given, field, expected = FIELDS[name]
    first, second = read(with_field(**given)).value.operations
    assert getattr(first, field) == expected
    assert second.content == SECOND["content"]


@pytest.mark.parametrize(
    "given",
    [["Ida", "Leeds"], "Ida, Leeds", [{"name": "Ida", "kind": "friend"}, "Leeds", 7, {"x": []}]],
)
def test_entities_are_read_from_names_alone(given: object) -> None:
    first = read(with_field(entities=given)).value.operations[0]
    assert [one.name for one in first.entities][:2] == ["Ida", "Leeds"]
    assert first.entities[0].kind == "other"


def test_fields_are_known_by_other_names() -> None:
    given = {
        "action": "add",
        "category": "rule",
        "text": "Answer briefly.",
        "evidence": "be brief",
        "turn_id": 4,
        "about": "User",
        "property": "answer_length",
    }
    (add,) = read(json.dumps({"operations": [given]})).value.operations
    assert isinstance(add, Add)
    assert (add.type, add.content, add.quote, add.turn) == (
        "rule",
        "Answer briefly.",
        "be brief",
        4,
    )


@pytest.mark.parametrize(
    "names",
    [
        {"content": "contnet", "quote": "qoute", "op": "oper"},
        {"content": "Content", "quote": "sourceQuote", "turn": "turnNumber", "op": "Action"},
        {"content": "内容", "quote": "引文", "turn": "轮次", "op": "操作", "type": "类型"},
        {"content": "content\u200b", "turn": "\u200bturn", "op": "op\ufeff"},
    ],
)
def test_fields_are_known_however_their_names_are_spelt(names: dict[str, str]) -> None:
    given = [{names.get(name, name): value for name, value in x.items()} for x in BOTH]
    found = read(json.dumps({"operations": given})).value.operations
    assert [(x.content, x.quote) for x in found] == [(x["content"], x["quote"]) for x in BOTH]


@pytest.mark.parametrize("word", ["CREATE", "add_memory", "新增", "Insert", "ADDD", "ADD (new)"])
def test_an_operation_is_known_by_other_words(word: str) -> None:
    assert contents(with_field(op=word)) == [x["content"] for x in BOTH]


@pytest.mark.parametrize("word", ["NOTE", "KEEP", "NOT_ADD", "DO NOT ADD", "CONSIDER", ["a", "b"]])
def test_an_operation_that_no_word_tells_is_none(word: object) -> None:
    assert contents(with_field(op=word)) == [SECOND["content"]]


def test_what_the_instructions_show_is_no_answer() -> None:
    shown = {"op": "ADD", "content": "⟨sentence⟩", "quote": "⟨words⟩", "turn": 0}
    asked = ChatRequest("e", "e/1", f"The form:\n{json.dumps([shown])}", "Text", Extraction, 200)
    reply = ChatReply(json.dumps({"operations": [shown, FIRST]}), "tiny", 1, 1)
    answer: LooseAnswer[Any] = read_answer(asked, reply)
    assert [one.content for one in answer.value.operations] == [FIRST["content"]]


@pytest.mark.parametrize("name", ["extract", "json", "mend", "unread", "repair"])
def test_a_prompt_that_is_said_after_is_no_answer(name: str) -> None:
    text = load_template(name).instructions
    found = read_loosely(Extraction, text, text)
    assert found is None or found.value.operations == ()


def test_a_schema_is_no_answer_but_one_may_be_filled_in() -> None:
    schema = SegmentReading.model_json_schema()
    answer = read(f"{json.dumps(schema)}\n{WHOLE}")
    assert [one.content for one in answer.value.operations] == [x["content"] for x in BOTH]
    assert answer.unfit == ()
    assert read_loosely(Extraction, json.dumps(schema)) in (None, LooseAnswer(NOTHING))
    filled = {"type": "object", "properties": {"operations": BOTH}}
    assert contents(json.dumps(filled)) == [x["content"] for x in BOTH]


@pytest.mark.parametrize("given", [["replaces", "different"], {"a": 3}, "replaces|different"])
def test_what_must_be_decided_is_not_guessed(given: object) -> None:
    answer = read_loosely(Rulings, json.dumps([{"pair": 1, "relation": given}]))
    assert answer is not None
    assert answer.value == Rulings(rulings=())
    assert len(answer.unfit) == 1


def test_an_operation_that_does_not_say_which_it_is_is_told_by_its_fields() -> None:
    given = [
        {"id": "k1", "content": "Finance uses NetSuite.", "quote": "NetSuite now", "turn": 1},
        {"src": "k1", "type": "supports", "dst": "k2"},
        {"memory_id": "k2", "op": "delete", "quote": "forget that", "turn": 2},
    ]
    update, link, delete = read(json.dumps({"operations": given})).value.operations
    assert isinstance(update, Update)
    assert update.reason == "change"
    assert isinstance(link, Link)
    assert link.type == "SUPPORTS"
    assert isinstance(delete, Delete)


@pytest.mark.parametrize(
    "unfit",
    [
        {"op": "NOTE", "text": "The user is kind."},
        {"op": "DELETE", "id": "k1"},
        {"op": "UPDATE"},
        {k: v for k, v in FIRST.items() if k != "quote"},
        {**FIRST, "content": "x" * 501},
        "The user likes milk.",
    ],
)
def test_an_unfit_operation_takes_no_other_along(unfit: object) -> None:
    answer = read(json.dumps({"operations": [FIRST, unfit, SECOND]}, ensure_ascii=False))
    assert [one.content for one in answer.value.operations] == [x["content"] for x in BOTH]
    assert len(answer.unfit) == 1


@pytest.mark.parametrize("end", range(1, 200, 9))
def test_of_an_answer_that_breaks_off_what_was_whole_is_kept(end: int) -> None:
    text = WHOLE[: WHOLE.index("}, {") + 3 + end]
    assert contents(text)[:1] == [FIRST["content"]]
    assert contents(text)[1:] in ([], [SECOND["content"]])


def test_what_is_beside_the_operations_does_not_cost_them() -> None:
    whole = {"operations": [FIRST], "episodes": "none", "focus": {"task": 3}}
    answer = read(json.dumps(whole), SegmentReading).value
    assert len(answer.operations) == 1
    assert answer.episodes is None
    assert answer.focus is None
    episode = {"summary": "They chose a milk.", "quotes": [{"turn": "1", "quote": "oat milk"}, 4]}
    whole = {"operations": [], "episodes": [episode]}
    assert read(json.dumps(whole)).value.operations == ()  # the form has none
    (found,) = read(json.dumps(whole), SegmentReading).value.episodes
    assert [one.turn for one in found.quotes] == [1]


def test_rulings_are_read_one_by_one() -> None:
    given = [{"pair": "1", "relation": "Replaces"}, {"pair": 2, "relation": "unrelated"}]
    answer = read(json.dumps(given), Rulings)
    assert [(one.pair, one.relation) for one in answer.value.rulings] == [(1, "replaces")]
    assert len(answer.unfit) == 1


@pytest.mark.parametrize("text", NO_ANSWERS)
def test_a_text_without_an_answer_is_none(text: str) -> None:
    assert read_loosely(Extraction, text) is None


@given(st.text(alphabet="{}[]\":,\\'“”/#*-<>thinkop 01ADD\n", max_size=300))
def test_any_text_is_read_or_is_none(text: str) -> None:
    found = read_loosely(Extraction, text)
    assert found is None or isinstance(found.value, Extraction)
