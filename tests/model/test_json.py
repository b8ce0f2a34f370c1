"""The JSON that values write of themselves, for clients and scripts."""

import json
from typing import Annotated

from memoria.model.base import HIDDEN, UNLESS_EMPTY, Shown, Value, write_document
from memoria.model.memory import Trust
from memoria.model.moments import Moment

_AT = 1_772_414_045_000


class _Part(Value):
    at: Moment


class _Whole(Value):
    words: Annotated[str, Shown("text")]
    at: Moment
    ended: Moment | None = None
    trust: Trust | None = None
    parts: Annotated[tuple[_Part, ...], UNLESS_EMPTY] = ()
    count: int = 0
    number: Annotated[int, HIDDEN] = 7


def test_a_moment_is_written_with_its_zone_and_what_is_absent_is_left_out() -> None:
    assert _Whole(words="tea", at=_AT).to_json() == {
        "text": "tea",
        "at": "2026-03-02T01:14:05Z",
        "count": 0,
    }


def test_parts_and_members_of_an_enumeration_are_plain_json() -> None:
    whole = _Whole(words="tea", at=_AT, ended=_AT, trust=Trust.USER, parts=(_Part(at=_AT),))
    written = whole.to_json()
    assert json.loads(json.dumps(written)) == written
    assert type(written["trust"]) is str
    assert written["ended"] == written["parts"][0]["at"] == "2026-03-02T01:14:05Z"


def test_keys_that_are_named_come_in_that_order_and_no_others() -> None:
    assert list(_Whole(words="tea", at=_AT).to_json("count", "ended", "text")) == ["count", "text"]


def test_what_is_kept_in_files_is_not_changed_by_how_a_value_is_shown() -> None:
    whole = _Whole(words="tea", at=_AT, parts=(_Part(at=_AT),))
    kept = json.loads(whole.model_dump_json())
    assert kept["words"] == "tea"
    assert kept["at"] == kept["parts"][0]["at"] == _AT
    assert kept["number"] == whole.number
    assert _Whole.model_validate_json(whole.model_dump_json()) == whole


def test_a_document_has_values_as_they_write_themselves_and_nothing_that_is_none() -> None:
    document = write_document(status="done", part=_Part(at=_AT), note=None, tool={"x": None})
    assert document == {
        "status": "done",
        "part": {"at": "2026-03-02T01:14:05Z"},
        "tool": {"x": None},
    }
