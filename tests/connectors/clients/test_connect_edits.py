"""What is written into other programs' files comes out again to the byte, whatever stood there."""

import json
import re
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memoria.connectors.clients.document import (
    ConfigDocument,
    EditedText,
    EditError,
    WantedParts,
    is_our_hook,
)
from memoria.connectors.clients.syntax.interface import look_up
from memoria.connectors.clients.syntax.json_edit import JsonSyntax

ENTRY = {"command": "/opt/memoria/bin/memoria", "args": ["--home", "/家/it's", "serve"]}
OTHER_ENTRY = {"command": "/opt/other/bin/memoria", "args": ["serve"]}
LINE = "/opt/python -I -S /opt/memoria/surface/hook/__main__.py claude-code"


def _hook(line: str = LINE) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": line, "timeout": 5}]}


JSON_PARTS = WantedParts(
    entry_at=("mcpServers", "memoria"),
    entry=ENTRY,
    hooks_at=("hooks",),
    hooks={"SessionStart": _hook(), "Stop": _hook()},
    defaults={"version": 1},
)
TOML_PARTS = WantedParts(
    syntax="TOML",
    entry_at=("mcp_servers", "memoria"),
    entry={**ENTRY, "env_vars": ["MEMORIA_EMBEDDER"]},
)
YAML_PARTS = WantedParts(
    syntax="YAML",
    entry_at=("extensions", "memoria"),
    entry={"cmd": "/x/memoria", "args": ["serve"]},
)
YAML_LIST = WantedParts(
    syntax="YAML", entry_at=("mcpServers",), is_listed=True, entry={"name": "memoria", **ENTRY}
)


def _check(text: str, parts: WantedParts) -> str:
    """Connect, connect again, disconnect: the text as it was. The text in between."""
    document = ConfigDocument(parts)
    connected = document.connect(EditedText(text))
    assert document.connect(connected) == connected
    assert document.entry_in(connected.text) == parts.entry
    assert set(document.hooks_in(connected.text)) == set(parts.hooks)
    assert document.disconnect(connected).text == text
    return connected.text


NASTY_JSON = [
    *("", "\n", "  \r\n", "{}", "{ }", "{\n}", "{\r\n}\r\n", "// only a comment\n{}\n"),
    *('{"a":1}', '{"a": 1}\n', '{"mcpServers":{}}', '{"hooks":{"Stop":[]}}'),
    '{\n  "a": 1 // why\n}\n',
    '{\n  "a": 1, // why\n}\n',
    '{\n  "a": [1, 2] /* both */\n  // and the end\n}',
    '{\r\n\t"mcpServers": {\r\n\t\t"git": {"command": "uvx"} // 它\r\n\t}\r\n}',
    '{\n  "mcpServers": {\n    "git": {},  // with a comma\n  },\n  "hooks": {"Stop": [{}]}\n}',
    '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"command": "say"}]} // mine\n    ]\n  }\n}',
    '{"mcpServers": {"b": {"args": ["//", "/*", "}"]}}, "z": "\\"}"}',
    '{\n    "version": 1,\n    "hooks": {}\n}\n',
]


@pytest.mark.parametrize("text", NASTY_JSON, ids=repr)
def test_json_is_as_it_was_after_connecting_and_disconnecting(text: str) -> None:
    connected = _check(text, JSON_PARTS)
    for comment in ("// why", "// 它", "// with a comma", "// mine", "/* both */"):
        assert connected.count(comment) == text.count(comment)


def test_what_is_written_is_in_the_style_of_the_file_and_comments_stay_with_their_line() -> None:
    text = '{\n\t"mcpServers": {\n\t\t"git": {"command": "uvx"} // the one I need\n\t}\n}\n'
    assert _check(text, WantedParts(entry_at=("mcpServers", "memoria"), entry=OTHER_ENTRY)) == (
        '{\n\t"mcpServers": {\n\t\t"git": {"command": "uvx"}, // the one I need\n'
        '\t\t"memoria": {\n\t\t\t"command": "/opt/other/bin/memoria",\n\t\t\t"args": ["serve"]\n'
        "\t\t}\n\t}\n}\n"
    )


def test_hooks_of_the_same_event_stay_and_ours_come_behind_them() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}'
    held = json.loads(_check(text, JSON_PARTS))["hooks"]["Stop"]
    assert held[0] == json.loads(text)["hooks"]["Stop"][0]
    assert held[1:] == [_hook()]


def test_connecting_with_other_options_replaces_what_was_written_and_goes_out_exactly() -> None:
    for text in NASTY_JSON:
        first = ConfigDocument(JSON_PARTS).connect(EditedText(text))
        less = WantedParts(
            entry_at=JSON_PARTS.entry_at,
            entry=OTHER_ENTRY,
            hooks_at=("hooks",),
            defaults={"version": 1},
        )
        second = ConfigDocument(less).connect(first)
        assert ConfigDocument(less).entry_in(second.text) == {**ENTRY, **OTHER_ENTRY}
        assert ConfigDocument(less).hooks_in(second.text) == {}
        third = ConfigDocument(JSON_PARTS).connect(second)
        assert ConfigDocument(JSON_PARTS).disconnect(third).text == text


def test_what_a_person_changed_in_between_stays() -> None:
    text = '{\n  "mcpServers": {\n    "git": {"command": "uvx"}\n  }\n}\n'
    document = ConfigDocument(JSON_PARTS)
    connected = document.connect(EditedText(text))
    edited = connected.text.replace('"uvx"', '"uv"').replace(
        '{\n  "mcp', '{\n  "theme": "x",\n  "mcp'
    )
    edited, _ = JsonSyntax().insert_member(edited, ("mcpServers", "later"), {"command": "b"})
    edited, _ = JsonSyntax().append_item(edited, ("hooks", "Stop"), {"command": "say"})
    after = document.disconnect(EditedText(edited, connected.pieces)).text
    assert after.startswith(
        '{\n  "theme": "x",\n  "mcpServers": {\n    "git": {"command": "uv"},\n'
    )
    assert json.loads(after) == {
        "theme": "x",
        "mcpServers": {"git": {"command": "uv"}, "later": {"command": "b"}},
        "hooks": {"Stop": [{"command": "say"}]},
    }


def test_a_client_that_writes_its_file_anew_keeps_nothing_of_ours_after_disconnecting() -> None:
    document = ConfigDocument(JSON_PARTS)
    connected = document.connect(EditedText('{"numStartups":3,"mcpServers":{}}'))
    anew = json.dumps(json.loads(connected.text), indent=2, ensure_ascii=False)
    after = document.disconnect(EditedText(anew, connected.pieces)).text
    assert json.loads(after) == {"numStartups": 3, "mcpServers": {}}


def test_without_the_ledger_what_is_ours_is_known_by_its_form() -> None:
    for parts, texts in (
        (JSON_PARTS, NASTY_JSON),
        (TOML_PARTS, NASTY_TOML),
        (YAML_PARTS, NASTY_YAML),
        (YAML_LIST, ["mcpServers: [{name: a}]\n", "mcpServers: []", "mcpServers:\n- name: b\n"]),
    ):
        document = ConfigDocument(parts)
        for text in texts:
            after = document.disconnect(EditedText(document.connect(EditedText(text)).text)).text
            assert document.entry_in(after) is None
            assert document.hooks_in(after) == {}
            assert [
                key for key in document.read(text) or {} if key not in document.read(after)
            ] == []


@pytest.mark.parametrize(
    ("parts", "text", "problem"),
    [
        (JSON_PARTS, '{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        (JSON_PARTS, '{"a": nope}', "line 1, column 7"),
        (JSON_PARTS, "{'a': 1}", "line 1, column 2"),
        (JSON_PARTS, '{"a": 1', "line 1, column 8"),
        (JSON_PARTS, '{"a": 1} {', "line 1, column 10"),
        (JSON_PARTS, "[" * 5000, "too deep"),
        (JSON_PARTS, '{"a": ' + "[" * 500 + "]" * 500 + "}", "too deep"),
        (JSON_PARTS, "[1]", "whole file"),
        (JSON_PARTS, '{"mcpServers": []}', "`mcpServers` holds something else"),
        (JSON_PARTS, '{"hooks": {"Stop": {}}}', "`hooks.Stop` holds something else"),
        (TOML_PARTS, "a = 1\nb = \n", "line 2, column 5"),
        (TOML_PARTS, "mcp_servers = 3\n", "`mcp_servers` holds something else"),
        (YAML_PARTS, "a: [1\nb: 2\n", "line 2, column 2"),
        (YAML_PARTS, "extensions: [1]\n", "`extensions` holds something else"),
        (YAML_PARTS, "- 1\n", "whole file"),
        (YAML_PARTS, "extensions: &x\n  a: 1\nb: *x\n", "safely"),  # the alias would change, too
        (YAML_PARTS, "a: |\n  x", "safely"),  # a line end would belong to the text
    ],
    ids=str,
)
def test_a_text_that_can_not_be_edited_is_refused_with_the_place(
    parts: WantedParts, text: str, problem: str
) -> None:
    with pytest.raises(EditError, match=re.escape(problem)):
        ConfigDocument(parts).connect(EditedText(text))


NASTY_TOML = [
    *("", "\n", "# only\n", "x = 1", "x = 1\r\n\r\n[a]\r\nb = 2\r\n", "[[x]]\n[[x]]\ny = 1\n"),
    '[mcp_servers.git]\ncommand = "uvx" # the one\nargs = [\n  "a", # first ]\n]\n\n[tui]\n',
    'mcp_servers = { git = { command = "u}" } }\n[y]\n',
    "mcp_servers = {}\n",
    'mcp_servers.git.command = "x"\n',
    'text = """\n[mcp_servers.memoria]\ncommand = "no"\n"""\n',
    "[mcp_servers]\n",
    '[projects."/home/陈"]\ntrust_level = "trusted"\n\n\n',
    "date = 1979-05-27 07:32:00\nx = '''a\nb'''\n",
]


@pytest.mark.parametrize("text", NASTY_TOML, ids=repr)
def test_toml_is_as_it_was_after_connecting_and_disconnecting(text: str) -> None:
    connected = _check(text, TOML_PARTS)
    held = tomllib.loads(connected.replace("\r\n", "\n"))
    assert held["mcp_servers"]["memoria"]["env_vars"] == ["MEMORIA_EMBEDDER"]
    assert ("\r\n" in connected) == ("\r\n" in text)
    assert not ("\r\n" in text and connected.replace("\r\n", "").count("\n"))


def test_what_was_added_to_the_table_goes_with_the_entry_and_nothing_else_does() -> None:
    text = '# mine\n[mcp_servers.git]\ncommand = "uvx"'
    document = ConfigDocument(TOML_PARTS)
    connected = document.connect(EditedText(text))
    edited = (
        connected.text.replace('"uvx"', '"uv"')
        + 'startup_timeout_sec = 3\n\n[mcp_servers.memoria.env]\nA = "b"\n\n# last\n[tui]\nx = 1\n'
    )
    after = document.disconnect(EditedText(edited, connected.pieces)).text
    assert tomllib.loads(after) == {"mcp_servers": {"git": {"command": "uv"}}, "tui": {"x": 1}}
    assert after.startswith('# mine\n[mcp_servers.git]\ncommand = "uv"\n')
    assert after.endswith("# last\n[tui]\nx = 1\n")


def test_what_a_person_appended_to_a_file_without_a_last_line_end_stays_readable() -> None:
    connected = ConfigDocument(TOML_PARTS).connect(EditedText("x = 1"))
    after = ConfigDocument(TOML_PARTS).disconnect(
        EditedText(connected.text + "[a]\nb = 1\n", connected.pieces)
    )
    assert tomllib.loads(after.text) == {"x": 1, "a": {"b": 1}}


NASTY_YAML = [
    *("", "\n", "# only\n", "a: 1", "a: 1\r\nb:\r\n  - 2\r\n", "---\na: 1\n"),
    "extensions:\n  # mine\n  dev:\n    enabled: true # yes\n\nGOOSE_MODEL: gpt\n",
    *("extensions: {}\n", "extensions: {a: {b: 1}} # c\n", "extensions:\nb: 1\n", "extensions:"),
    "extensions:\n    git: {cmd: uvx}\n    # the end\n",
    "a: |\n  text\n  extensions:\n\n",
    "extensions: &x\n  a: 1\nb: 2\n",
]


@pytest.mark.parametrize("text", NASTY_YAML, ids=repr)
def test_yaml_is_as_it_was_after_connecting_and_disconnecting(text: str) -> None:
    connected = _check(text, YAML_PARTS)
    assert yaml.safe_load(connected)["extensions"]["memoria"] == YAML_PARTS.entry


@pytest.mark.parametrize(
    "text",
    [
        "name: mine\nversion: 1.0.0\nschema: v1\n",
        "mcpServers:\n- name: a\n  command: b\n# end\n",
        "mcpServers:\n  - name: a\n    command: b",
        "mcpServers: []\nmodels:\n  - name: x\n",
        'mcpServers: [{name: "a"}]\n',
    ],
    ids=repr,
)
def test_a_list_in_yaml_is_as_it_was_after_connecting_and_disconnecting(text: str) -> None:
    names = [one["name"] for one in yaml.safe_load(_check(text, YAML_LIST))["mcpServers"]]
    assert names.count("memoria") == 1


def test_what_a_person_added_to_yaml_in_between_stays() -> None:
    document = ConfigDocument(YAML_PARTS)
    connected = document.connect(EditedText("extensions:\n  git:\n    cmd: uvx\n"))
    edited = connected.text.replace("cmd: uvx", "cmd: uv").replace(
        '    args: ["serve"]\n', '    args: ["serve"]\n    timeout: 9\n'
    )
    after = document.disconnect(EditedText(edited + "new: 1\n", connected.pieces)).text
    assert after == "extensions:\n  git:\n    cmd: uv\nnew: 1\n"


# Random documents: values of any shape, written in any way that their syntax allows.

_KEYS = st.sampled_from(["a", "git", "Stop", "hooks", "mcpServers", "version", '键 "x"', ""])
_SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_ROOMS = st.dictionaries(st.sampled_from(["git", "a"]), _VALUES, max_size=2)
_HOOKS = st.dictionaries(
    st.sampled_from(["Stop", "SessionStart", "Other"]), st.lists(_VALUES, max_size=2), max_size=2
)
_DOCUMENTS = st.builds(
    lambda rest, servers, hooks: {
        **{key: value for key, value in rest.items() if key not in ("mcpServers", "hooks")},
        **({} if servers is None else {"mcpServers": servers}),
        **({} if hooks is None else {"hooks": hooks}),
    },
    st.dictionaries(_KEYS, _VALUES, max_size=3),
    st.none() | _ROOMS,
    st.none() | _HOOKS,
)
_BLANKS = ["", "", " ", "\n", "\n  ", "\r\n\t", "\n\n    "]
_GAPS = [*_BLANKS, " /* c } */ ", " // c ,\n"]


def _write_json(draw: st.DrawFn, value: object, *, comments: bool) -> str:
    def gap() -> str:
        drawn: str = draw(
            st.sampled_from(_GAPS if comments else [g for g in _GAPS if "c" not in g])
        )
        return drawn

    def comma(index: int, count: int) -> str:
        if index < count - 1:
            return gap() + "," + gap()
        return draw(st.sampled_from(["", ","])) if comments else ""

    if isinstance(value, dict):
        members = [
            f"{gap()}{json.dumps(key)}{gap()}:{gap()}{_write_json(draw, of, comments=comments)}"
            f"{comma(index, len(value))}"
            for index, (key, of) in enumerate(value.items())
        ]
        return "{" + "".join(members) + gap() + "}"
    if isinstance(value, list):
        items = [
            f"{gap()}{_write_json(draw, of, comments=comments)}{comma(index, len(value))}"
            for index, of in enumerate(value)
        ]
        return "[" + "".join(items) + gap() + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def _json_texts(draw: st.DrawFn) -> str:
    comments = draw(st.booleans())
    return _write_json(draw, draw(_DOCUMENTS), comments=comments) + draw(
        st.sampled_from(["", "\n", "\r\n"])
    )


@settings(max_examples=40)
@given(_json_texts())
@example('{"hooks": {"Stop": []}, "mcpServers": {}, }')
@example('{"mcpServers":{"a":[null] /* c } */ }, /* c } */ \n"hooks":{}}')
@example('{"mcpServers":{"a":[null], /* c } */ }, /* c } */ \n"hooks":{}}')
def test_any_json_is_as_it_was_after_connecting_and_disconnecting(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        assume(False)  # no file holds half a character
    before = JsonSyntax().parse(text)
    after = JsonSyntax().parse(_check(text, JSON_PARTS))
    for key, value in before.items():
        if key not in ("mcpServers", "hooks"):
            assert after[key] == value
    held = look_up(after, ("hooks", "Stop"))
    assert [one for one in held if not is_our_hook(one)] == before.get("hooks", {}).get("Stop", [])


_TOML_LINES = st.sampled_from(
    [
        *("# 注释 [x]", "", 'a = "[b]"', "b = [1, # ]\n  2,\n]", "c = { d = '}' , e = [ {} ] }"),
        *("f = '''\n[mcp_servers]\n'''", "g = 1979-05-27 07:32:00Z", '"h.i" = -1e3', "j.k = true"),
        *(
            "[l]",
            "[ m . 'n' ]",
            "[[o]]",
            '[mcp_servers."a b"]',
            "[mcp_servers.git]",
            "[mcp_servers]",
        ),
        *('mcp_servers.git = { command = "x" }', "mcp_servers = { git = { } }", "mcp_servers={}"),
    ]
)


@settings(max_examples=100)
@given(
    st.lists(_TOML_LINES, max_size=7), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n"])
)
def test_any_toml_is_as_it_was_after_connecting_and_disconnecting(
    lines: list[str], newline: str, end: str
) -> None:
    text = ("\n".join(lines) + end).replace("\n", newline)
    try:
        before = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError:
        assume(False)
    after = tomllib.loads(_check(text, TOML_PARTS).replace("\r\n", "\n"))
    after["mcp_servers"].pop("memoria")
    assert after["mcp_servers"] == before.pop("mcp_servers", {})
    assert {key: value for key, value in after.items() if key != "mcp_servers"} == before


_YAML_BLOCKS = st.lists(
    st.sampled_from(
        [
            *(
                "# 注释: x\n",
                "\n",
                "a: 1\n",
                'b: "x: # y"\n',
                "c: |\n  extensions:\n   z\n",
                "d: {e: [1]}\n",
            ),
            *("f:\n- 1\n- g: 2\n", "h: >-\n  folded\n\n  text\n", "'i': ~\n", "j: [1,\n  2]\n"),
        ]
    ),
    max_size=4,
    unique=True,
)
_YAML_ROOM = st.sampled_from(
    [
        *("", "extensions:\n", "extensions: {}\n", "extensions: # c\n  git:\n    cmd: x # y\n\n"),
        *("extensions:\n\n  # c\n\n      git: {cmd: x}\n      b: 1\n", "extensions: {git: {}, }\n"),
    ]
)


@settings(max_examples=40)
@given(_YAML_BLOCKS, _YAML_ROOM, _YAML_BLOCKS, st.booleans(), st.booleans())
def test_any_yaml_is_as_it_was_after_connecting_and_disconnecting(
    above: list[str], room: str, below: list[str], windows: bool, ends: bool
) -> None:
    below = [one for one in below if one not in above]
    text = "".join([*above, room, *below])
    text = text if ends or "|" in text or ">" in text else text.rstrip("\n")
    text = text.replace("\n", "\r\n") if windows else text
    before = yaml.safe_load(text) or {}
    after = yaml.safe_load(_check(text, YAML_PARTS))
    after["extensions"].pop("memoria")
    assert after["extensions"] == (before.pop("extensions", None) or {})
    assert {key: value for key, value in after.items() if key != "extensions"} == before
