"""What is said about the user in one project is known in the next; what is the project's stays."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.ingest.play import add, reader, said
from tests.llm.scripted import ScriptedModel
from tests.policy.test_scope import PROJECT
from tests.store.plain import wording

import memoria
from memoria import Memoria, Settings
from memoria.memories.links import link_contradictions
from memoria.model import COMMAND_LINE, MemoryType, Trust, Validity, new_id, now_millis
from memoria.store.values import NewMemory

ALLERGY = {"en": "I'm allergic to penicillin", "zh": "我对青霉素过敏"}
CONCLUDED = {"en": "The user is allergic to penicillin", "zh": "用户对青霉素过敏"}
ASKED = {"en": "what is the user allergic to", "zh": "用户对什么过敏"}
PORT = {"en": "The staging gateway listens on port 7443", "zh": "测试环境的网关监听 7443 端口"}
PORT_ASKED = {"en": "which port does the staging gateway listen on", "zh": "网关监听哪个端口"}
HOMES = ("I live in Leeds", "I live in York now")
LANGUAGES = ("en", "zh")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    def reads(n: int, _: str, words: str, __: object) -> list[dict[str, object]]:
        for language in LANGUAGES:
            if ALLERGY[language] in words:
                return [add(ALLERGY[language], n, CONCLUDED[language], predicate="allergy")]
            if HOMES[0] in words or HOMES[1] in words:
                return [add(words, n, predicate="home")]
            if PORT[language] in words:
                return [add(PORT[language], n, subject="gateway", predicate="port")]
        return []

    with ScriptedModel(answer=reader(reads)) as scripted:
        yield scripted


@asynccontextmanager
async def opened(
    home: Path, workspace: str | None, model: ScriptedModel | None = None, **more: object
) -> AsyncIterator[Memoria]:
    asked = {} if model is None else {"llm_base_url": model.url, "llm_model": "scripted"}
    chosen = Settings.load(home=home, embedder="off", workspace=workspace, **asked, **more)
    async with memoria.open(settings=chosen) as m:
        yield m


async def found(home: Path, workspace: str, question: str) -> list[str]:
    async with opened(home, workspace) as m:
        return [hit.text for hit in (await m.search_memory(question)).hits]


@pytest.mark.parametrize("path", ["explicit", "asked for", "model"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_allergy_told_in_one_repository_is_known_in_another(
    home: Path, model: ScriptedModel, language: str, path: str
) -> None:
    async with opened(home, "repository A", model if path == "model" else None) as m:
        if path == "explicit":
            await m.remember(ALLERGY[language])
        else:
            lead = {"en": "Remember: ", "zh": "记住："}[language] if path == "asked for" else ""
            await said(m, lead + ALLERGY[language])
    (text,) = await found(home, "repository B", ASKED[language])
    assert ("penicillin" if language == "en" else "青霉素") in text


@pytest.mark.parametrize("path", ["explicit", "model"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_port_told_in_one_repository_is_not_known_in_another(
    home: Path, model: ScriptedModel, language: str, path: str
) -> None:
    async with opened(home, "repository A", model if path == "model" else None) as m:
        await (m.remember if path == "explicit" else lambda text: said(m, text))(PORT[language])
    assert await found(home, "repository A", PORT_ASKED[language])
    assert await found(home, "repository B", PORT_ASKED[language]) == []


@settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.sampled_from(PROJECT), st.sampled_from(("remember", "record"))),
        min_size=4,
        max_size=12,
        unique_by=lambda one: one[0],
    )
)
async def test_nothing_of_one_projects_work_is_shown_in_another_unasked_at_either_level(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[tuple[MemoryType, str], str]]
) -> None:
    home = tmp_path_factory.mktemp("home")
    async with opened(home, "repository A") as m:
        for (kind, words), way in told:
            if way == "remember":
                await m.remember(words, type=kind)
            else:
                await said(m, words)
    async with opened(home, "repository B") as m:
        for (_, words), _way in told:
            assert (await m.search_memory(words)).hits == ()
            assert (await m.search_conversation_traces(words)).hits == ()
            assert words not in (await m.build_context(words)).text


@pytest.mark.parametrize("rule", ["In this repo use tabs, not spaces", "这个项目用 pnpm 装依赖"])
async def test_a_rule_for_one_repository_is_not_a_rule_for_another(home: Path, rule: str) -> None:
    async with opened(home, "repository A") as m:
        kept = await m.remember(rule, type="rule")
    assert await found(home, "repository A", rule) == [rule]
    assert await found(home, "repository B", rule) == []
    assert kept.status == "remembered"


async def test_the_writer_can_say_where_a_statement_is_seen(home: Path) -> None:
    async with opened(home, "repository A") as m:
        shared = await m.remember(PORT["en"], scope="everywhere")
        own = await m.remember(ALLERGY["en"], scope="project")
        assert (shared.scope, own.scope, own.project) == ("everywhere", "project", "repository A")
    assert await found(home, "repository B", PORT_ASKED["en"]) == [PORT["en"]]
    assert await found(home, "repository B", ASKED["en"]) == [PORT["en"]]


@pytest.mark.parametrize("words", ["The meeting is on Tuesday at ten", "会议改到周二上午十点"])
async def test_who_states_what_may_be_either_is_told_where_it_is_seen_and_can_change_it(
    home: Path, words: str
) -> None:
    async with opened(home, "repository A") as m:
        kept = await m.remember(words)
        assert (kept.scope, kept.project, kept.is_scope_open) == ("project", "repository A", True)
    assert await found(home, "repository B", words) == []
    async with opened(home, "repository A") as m:
        again = await m.remember(words, scope="everywhere")
        assert (again.id, again.status) == (kept.id, "already_known")
        assert (again.scope, again.is_scope_open) == ("everywhere", False)
    assert await found(home, "repository B", words) == [words]


async def test_what_is_decided_or_said_outside_of_projects_raises_no_question(home: Path) -> None:
    async with opened(home, "repository A") as m:
        assert not (await m.remember(ALLERGY["en"])).is_scope_open
        assert not (await m.remember(PORT["en"])).is_scope_open
    async with opened(home, None) as m:
        kept = await m.remember("The meeting is on Tuesday at ten")
        assert (kept.scope, kept.project, kept.is_scope_open) == ("everywhere", None, False)


async def test_a_memorys_scope_is_revised_in_all_its_wordings(home: Path) -> None:
    async with opened(home, "repository A") as m:
        kept = await m.remember("The meeting is on Tuesday at ten")
        await m.revise_memory(kept.id, "correct", "The meeting is on Wednesday at ten")
        moved = await m.revise_memory(kept.id, "everywhere")
        assert (moved.scope, moved.project) == ("everywhere", None)
    async with opened(home, "repository B") as m:
        hits = (await m.search_memory("when is the meeting", include_history=True)).hits
        assert {hit.text for hit in hits} == {
            "The meeting is on Tuesday at ten",
            "The meeting is on Wednesday at ten",
        }
        back = await m.revise_memory(kept.id, "project")
        assert back.project == "repository A"
        assert not (await m.search_memory("when is the meeting", include_history=True)).hits


async def test_what_belongs_to_no_project_is_given_to_the_one_it_is_revised_in(home: Path) -> None:
    async with opened(home, None) as m:
        kept = await m.remember("The meeting is on Tuesday at ten")
        with pytest.raises(memoria.errors.InvalidInputError, match="project"):
            await m.revise_memory(kept.id, "project")
    async with opened(home, "repository B") as m:
        assert (await m.revise_memory(kept.id, "project")).project == "repository B"
    assert await found(home, "repository A", "when is the meeting") == []


async def test_a_projects_claim_leaves_what_is_seen_everywhere_to_the_others(home: Path) -> None:
    async with opened(home, "repository A") as m:
        await m.remember("Indent with four spaces", type="rule", scope="everywhere")
    async with opened(home, "repository B") as m:
        await m.remember("In this repo indent with two spaces", type="rule")
    assert await found(home, "repository A", "how to indent") == ["Indent with four spaces"]
    assert "In this repo indent with two spaces" in await found(
        home, "repository B", "how to indent"
    )


async def test_what_changes_for_the_user_in_one_project_changes_in_all(
    home: Path, model: ScriptedModel
) -> None:
    for place, words in zip(("repository A", "repository B"), HOMES, strict=True):
        async with opened(home, place, model) as m:
            await said(m, words)
            await m.queue.rouse()
            await m.wait_until_idle(60)
    for place in ("repository A", "repository B", "repository C"):
        assert await found(home, place, "where do I live now") == [HOMES[1]], place


async def test_what_is_confirmed_for_one_project_takes_nothing_from_the_others(
    home: Path, model: ScriptedModel
) -> None:
    """A gateway's port told by an assistant waits, because the user has said another."""
    del model
    async with opened(home, None) as m:
        general = await m.remember("The gateway listens on port 7443")
    async with opened(home, "repository A") as m:
        own = await m.remember("In this repository the gateway does not listen on port 7443")
        with m._store.write(m.tenant) as tx:  # noqa: SLF001  (as a claim with less authority does)
            one, other = tx.memories.get(own.id), tx.memories.get(general.id)
            assert one is not None
            assert other is not None
            link_contradictions(tx, one, [other.id], now=now_millis())
            tx.memories.set_validity(one.id, Validity.PENDING_CONFIRMATION, now_millis())
            tx.memories.set_flags(one.id, now_millis(), verified=False)
    async with opened(home, "repository A") as m:
        user = m.with_channel(COMMAND_LINE)
        assert (await user.revise_memory(own.id, "confirm")).validity is Validity.ACTIVE
        assert (await m.get_memory(general.id)).validity is Validity.ACTIVE
    assert await found(home, "repository B", PORT_ASKED["en"]) == [
        "The gateway listens on port 7443"
    ]


async def test_what_several_memories_say_is_said_by_the_one_that_is_seen_everywhere(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, "repository A", model) as m:
        for text, scope in (("The user lives in Hull", "everywhere"), (HOMES[0], "project")):
            memory = NewMemory(
                new_id(), MemoryType.FACT, 0.5, 0.5, "repository A", subject="user",
                predicate="home", scope=scope,  # type: ignore[arg-type]
            )  # fmt: skip
            with m._store.write(m.tenant) as tx:  # noqa: SLF001  (as homes from before have them)
                version = wording(text)
                reported = version.provenance.model_copy(update={"trust": Trust.REPORTED})
                tx.memories.add(memory, replace(version, provenance=reported))
        await said(m, HOMES[1])
    for place in ("repository A", "repository B"):
        assert await found(home, place, "where do I live now") == [HOMES[1]], place


NEVER = "I've never worked with alembic"
NOW = "two years of alembic at Fjordbank"


async def test_what_a_model_updates_is_seen_wherever_what_it_was_is(
    home: Path, model: ScriptedModel
) -> None:
    """Its words alone would leave it to the project in which the user takes it back."""

    def reads(
        n: int, _: str, words: str, known: list[dict[str, object]]
    ) -> list[dict[str, object]]:
        if NEVER in words:
            first = "The user has never worked with alembic."
            return [add(NEVER, n, first, type="skill", predicate="alembic", scope="everywhere")]
        content = "Two years of alembic at Fjordbank."
        changed = {"content": content, "quote": NOW, "turn": n, "reason": "correction"}
        return [{"op": "UPDATE", "id": one["id"], **changed} for one in known if NOW in words]

    model.answer = reader(reads)
    async with opened(home, "repository A", model) as m:
        for number, words in enumerate((NEVER, f"Don't explain it to me, I did {NOW}.")):
            await said(m, words, session=str(number))
            await m.queue.rouse()
            await m.wait_until_idle(60)
    for place in ("repository A", "repository B"):
        assert await found(home, place, "alembic") == ["Two years of alembic at Fjordbank."]
