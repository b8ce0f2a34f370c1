"""Personal data in memories is handled as configured, whoever made the memory."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.ingest.play import add, log, memories, reader, said
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError
from memoria.model import Memory, Validity
from memoria.model.privacy import Handling, PersonalData
from memoria.model.provenance import Namesakes

NUMBER = "13812345678"
SAID = {"en": f"Remember that my phone number is {NUMBER}.", "zh": f"记住我的手机号是{NUMBER}。"}
CONCLUDED = {"en": f"The user's phone number is {NUMBER}", "zh": f"用户的手机号是{NUMBER}"}
QUOTE = {"en": f"my phone number is {NUMBER}", "zh": f"我的手机号是{NUMBER}"}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    def reads(n: int, _: str, words: str, __: object) -> list[dict[str, object]]:
        language = "en" if "phone" in words else "zh"
        entities = [{"name": NUMBER, "kind": "other", "role": "patient"}]
        more = {"predicate": f"phone {NUMBER}", "task": f"ring {NUMBER}", "entities": entities}
        return [add(QUOTE[language], n, CONCLUDED[language], **more)]

    with ScriptedModel(answer=reader(reads)) as scripted:
        yield scripted


@asynccontextmanager
async def opened(
    home: Path, rules: str | None, model: ScriptedModel | None
) -> AsyncIterator[Memoria]:
    asked = {} if model is None else {"llm_base_url": model.url, "llm_model": "scripted"}
    settings = Settings.load(home=home, embedder="off", personal_data=rules, **asked)
    async with memoria.open(settings=settings) as m:
        yield m


async def made(
    home: Path, rules: str | None, model: ScriptedModel | None, words: str
) -> list[Memory]:
    """What is concluded from a turn; where a model reads, what it concludes alone."""
    async with opened(home, rules, model) as m:
        await said(m, words)
        by = "rules" if model is None else "model"
        found = [one for one in await memories(m) if one.current.inferred_by == by]
        known = await m.graph.around(NUMBER)
        if rules in ("phone=mask", "phone=drop"):
            assert isinstance(known, Namesakes)
    return found


MAKERS = ["rules", "model"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("way", Handling)
async def test_each_way_binds_what_rules_make_and_what_a_model_makes(
    home: Path, model: ScriptedModel, way: Handling, maker: str, language: str
) -> None:
    asked = model if maker == "model" else None
    found = await made(home, f"phone={way}", asked, SAID[language])
    match way:
        case Handling.DROP:
            assert found == []
            assert ("reject", "ADD: personal data") in log(home)
        case Handling.MASK:
            (memory,) = found
            assert memory.validity is Validity.ACTIVE
            assert "[phone]" in memory.content
            assert NUMBER not in memory.model_dump_json()
        case Handling.CONFIRM:
            (memory,) = found
            assert (memory.validity, memory.flag) == (Validity.PENDING_CONFIRMATION, "pii")
            assert NUMBER in memory.content
        case Handling.STORE:
            (memory,) = found
            assert (memory.validity, memory.flag) == (Validity.ACTIVE, None)
            assert NUMBER in memory.content


async def test_by_default_a_phone_number_waits_for_the_user(
    home: Path, model: ScriptedModel
) -> None:
    for maker in (None, model):
        found = await made(home / str(maker is None), None, maker, SAID["en"])
        assert [one.validity for one in found] == [Validity.PENDING_CONFIRMATION]


@pytest.mark.parametrize("words", CONCLUDED.values())
async def test_a_statement_is_kept_as_it_is_where_nothing_is_configured(
    home: Path, words: str
) -> None:
    async with opened(home, None, None) as m:
        kept = await m.get_memory((await m.remember(words)).id)
    assert (kept.content, kept.validity) == (words, Validity.ACTIVE)


@pytest.mark.parametrize("words", CONCLUDED.values())
async def test_what_is_configured_binds_statements_and_corrections_too(
    home: Path, words: str
) -> None:
    async with opened(home, "phone=mask", None) as m:
        kept = await m.remember(words)
        assert kept.redactions == {"phone": 1}
        assert NUMBER not in (await m.get_memory(kept.id)).model_dump_json()
        other = await m.remember("Lin is away")
        await m.revise_memory(other.id, "correct", words.replace("user", "boss") + "!")
        assert NUMBER not in (await m.get_memory(other.id)).model_dump_json()


async def test_a_statement_that_must_not_be_kept_is_refused_and_says_why(home: Path) -> None:
    async with opened(home, "phone=drop,email=confirm", None) as m:
        with pytest.raises(InvalidInputError, match=r"\(phone\): MEMORIA_PERSONAL_DATA says drop"):
            await m.remember(CONCLUDED["en"])
        assert await memories(m) == []
        kept = await m.get_memory((await m.remember("Lin reads lin@example.org")).id)
    assert kept.validity is Validity.ACTIVE


def test_the_setting_is_read_from_a_shell_and_from_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = {PersonalData.PHONE: Handling.MASK, PersonalData.EMAIL: Handling.DROP}
    monkeypatch.setenv("MEMORIA_PERSONAL_DATA", " Phone = mask, email=drop ,")
    assert Settings.load().personal_data == rules
    assert Settings(personal_data=rules).personal_data == rules
    again = Settings.from_values(**Settings.load().model_dump())
    assert again.personal_data == rules


@pytest.mark.parametrize(
    "value", ["phone", "fax=mask", "phone=burn", "phone=mask,phone=drop", "=", "phone:mask", "1"]
)
def test_a_setting_that_cannot_be_read_names_the_classes_and_the_ways(value: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        Settings.load(personal_data=value)
    text = str(refused.value)
    assert text.startswith("MEMORIA_PERSONAL_DATA: write class=way")
    assert all(name in text for name in (*PersonalData, *Handling))


def test_a_setting_of_another_type_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="MEMORIA_PERSONAL_DATA"):
        Settings.load(personal_data=7)
