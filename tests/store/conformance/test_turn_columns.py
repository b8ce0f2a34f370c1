"""What a process knows of turns is what the file has, whatever becomes of them."""

import random
from itertools import count

import numpy as np
import pytest
from tests.store.insides import TOY_MODEL, index_of

from memoria.language.asking.aim import find_wish, read_saying
from memoria.model import Role, Trust, Vector, new_id
from memoria.store.engine import Store
from memoria.store.features import UNHEARD
from memoria.store.image import turn_table
from memoria.store.image.turn_table import TurnTable
from memoria.store.rows.transaction import Transaction
from memoria.store.rows.turn_columns import TurnColumns
from memoria.store.values import NewTurn

pytestmark = pytest.mark.usefixtures("toy_model")
TEXTS = ("Where is the ferry?", "From now on use metres.", "The ferry leaves at nine.", "", "ok")
Told = list[tuple[object, ...]]


def make_turn(rng: random.Random, session_n: int, place: int, version: int) -> NewTurn:
    return NewTurn(
        id=new_id(),
        session_n=session_n,
        message_id=None,
        turn_index=place,
        version=version,
        role=rng.choice((Role.USER, Role.ASSISTANT, Role.TOOL)),
        speaker=rng.choice((None, "Ann", "Ben", "")),
        at=rng.randrange(1000),
        at_given=True,
        ingested_at=1,
        trust=Trust.USER,
        suppressed=rng.random() < 0.1,
        fingerprint=rng.randbytes(8),
        content=rng.choice(TEXTS),
        tool_name=None,
        tool_args=None,
        tool_result=None,
    )


def say(tx: Transaction, rng: random.Random, session: str, place: int, version: int = 1) -> int:
    session_n = tx.conversations.upsert_session("test", session, 1, 1, 1).n
    return tx.conversations.add_turn(make_turn(rng, session_n, place, version))


def embed(tx: Transaction, ns: list[int]) -> None:
    vector: Vector = np.ones(4, np.float32) / np.float32(2)
    tx.backlog.add_vectors(TOY_MODEL, dict.fromkeys(ns, vector))


def tell(tx: Transaction, ns: list[int]) -> Told:
    """What is told of turns, in columns that do not depend on what was told before."""
    told: Told = []
    for include_processed in (False, True):
        near = tx.turn_columns.surroundings(ns[::2], ns[1::2], include_processed=include_processed)
        told += sorted(zip(near.ns.tolist(), near.places.tolist(), strict=True))
        told.append(tuple(sorted(near.speakers)))
    remarks = tx.turn_columns.remarks(ns)
    speakers = [remarks.names[who] for who in remarks.speakers.tolist()]
    columns = (remarks.is_turn, remarks.ats, remarks.is_user, remarks.is_assistant)
    told += zip(speakers, *(column.tolist() for column in columns), strict=True)
    return told


def check_sayings(tx: Transaction, rng: random.Random, ns: list[int]) -> None:
    """What is known of texts is what these tell; some more of it becomes known."""
    tx.turn_columns.sayings(rng.sample(ns, 3), with_wishes=rng.random() < 0.5)
    said, turns = tx.turn_columns.remarks(ns).said, tx.conversations.turns(ns)
    for n, words, asks, wish in zip(ns, *(column.tolist() for column in said), strict=True):
        text = turns[n].content if n in turns else ""
        assert words == UNHEARD or (words, asks) == read_saying(text)
        assert wish in (UNHEARD, find_wish(text))


class Talk:
    """Conversations to which anything may happen."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store, self.rng = store, random.Random(seed)  # noqa: S311  (nothing is secret)
        self.hidden: list[str] = []
        self.free = count(10)
        """Places and versions that no turn has had."""

    def list_turns(self, tx: Transaction) -> list[int]:
        return tx.documents.page("turn", 0, 10_000)

    def change(self, tx: Transaction) -> None:
        rng, known = self.rng, self.list_turns(tx)
        n = rng.choice(known)
        turn = tx.conversations.turns([n])[n]
        match rng.randrange(10):
            case 0:
                tx.conversations.erase_turn(turn)
            case 1:
                tx.conversations.retire_turn(n)
                say(tx, rng, turn.session_id, turn.turn_index, next(self.free))
            case 2:
                index_of(tx).set_current(n, current=rng.random() < 0.5)
            case 3:
                tx.conversations.suppress_turn(turn)
            case 4:
                tx.conversations.mark_processed([turn])
            case 5:
                place = rng.choice((turn.turn_index, next(self.free)))
                tx.accounts.hand_over(turn, make_turn(rng, turn.session_n, place, 1))
            case 6:
                embed(tx, rng.sample(known, 2))
            case 7:
                self.hide(tx, n)
            case _:
                say(tx, rng, rng.choice("abc"), next(self.free))

    def hide(self, tx: Transaction, n: int) -> None:
        """A forget that may be taken back, or one that is."""
        if self.hidden:
            tx.hidden.put_back(self.hidden.pop(), ())
            return
        report = new_id()
        turn = tx.conversations.turns([n])[n]
        tx.hidden.hide_texts(
            report, [version.n for version in tx.conversations.turn_versions(turn)]
        )
        with tx.hidden.hide_changes(report):
            tx.conversations.erase_turn(turn)
        self.hidden.append(report)


@pytest.mark.parametrize("seed", range(4))
def test_columns_follow_whatever_becomes_of_turns(
    store: Store, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:  # as in a large home
        monkeypatch.setattr(turn_table, "_SMALL_HOME_BITS", 1)
    talk = Talk(store, seed)
    with store.write("ann") as tx:
        memories = [index_of(tx).add("memory", None, "ferry", "")]
        for place in range(30):
            say(tx, talk.rng, "abc"[place % 3], place // 3)
        embed(tx, talk.list_turns(tx)[:20])
    for step in range(40):
        with store.write("ann") as tx:
            talk.change(tx)
            ns = [*talk.rng.sample(talk.list_turns(tx), 8), *memories]
            expected = tell(tx, ns)  # who writes reads all anew
        with store.read("ann") as tx:
            assert tell(tx, ns) == expected, step
            check_sayings(tx, talk.rng, ns)


def test_a_turn_that_is_known_is_not_read_again_until_it_is_changed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(1)  # noqa: S311
    with store.write("ann") as tx:
        ns = [say(tx, rng, "a", place) for place in range(6)]
        embed(tx, ns)
    read: list[int] = []
    put = TurnTable._put  # noqa: SLF001

    def noted(self: TurnTable, found: list[tuple[int, ...]], *asked: object) -> None:
        read.extend(row[0] for row in found)
        put(self, found, *asked)  # type: ignore[arg-type]

    monkeypatch.setattr(TurnTable, "_put", noted)

    def list_read() -> list[int]:
        read.clear()
        with store.read("ann") as tx:
            tell(tx, ns[:2])
        return sorted({*read})

    assert list_read() == ns
    assert list_read() == []
    with store.write("ann") as tx:
        index_of(tx).mark_processed(ns[1])
    assert list_read() == [ns[1]]
    with store.write("ann") as tx:
        ns.append(say(tx, rng, "a", 6))
    assert list_read() == [ns[6]]


def test_who_reads_an_older_snapshot_is_told_what_stood_there(store: Store) -> None:
    rng = random.Random(2)  # noqa: S311
    with store.write("ann") as tx:
        ns = [say(tx, rng, "a", place) for place in range(4)]
        embed(tx, ns)
        before = tell(tx, ns[:2])
    with store.read("ann") as older:
        with store.write("ann") as tx:
            tx.conversations.retire_turn(ns[2])
            after = tell(tx, ns[:2])
        with store.read("ann") as newer:
            assert tell(newer, ns[:2]) == after != before
        assert tell(older, ns[:2]) == before


def test_only_so_many_turns_are_remembered(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_table, "_MOST", 10)
    rng = random.Random(4)  # noqa: S311
    with store.write("ann") as tx:
        ns = [say(tx, rng, "a", place * 20) for place in range(40)]
    for start in range(0, 40, 5):
        with store.read("ann") as tx:
            found = tx.turn_columns.surroundings(ns[start : start + 5], (), include_processed=True)
            assert found.ns.tolist() == ns[start : start + 5]
            assert isinstance(tx.turn_columns, TurnColumns)
            reading = tx.turn_columns._reading  # noqa: SLF001
            assert reading is not None
            with reading.open() as image:
                assert 5 <= len(image.column(TurnTable)._by_number) <= 15  # noqa: SLF001
