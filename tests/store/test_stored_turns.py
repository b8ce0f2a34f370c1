"""A turn that is read would pass every check of its model, though none is made when it is read."""

from memoria.model import StoredTurn
from memoria.store.sqlite import SqliteStore


def test_what_is_read_is_what_its_model_would_make_of_it(two: SqliteStore) -> None:
    with two.read("ann") as tx:
        turns = tx.conversations.turns(tx.documents.page("turn", 0, 100)).values()
    assert {turn.role for turn in turns} >= {"user", "tool"}
    assert any(turn.tool_args for turn in turns)
    for turn in turns:
        checked = StoredTurn.model_validate(turn.model_dump(), strict=True)
        assert checked == turn
        assert checked.model_dump_json() == turn.model_dump_json()
        assert checked.model_fields_set == turn.model_fields_set
