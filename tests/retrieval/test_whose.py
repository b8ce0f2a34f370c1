"""Who is asked what they have is answered with it."""

from memoria import Memoria


async def test_who_is_asked_what_they_have_is_answered_with_it(memory: Memoria) -> None:
    await memory.remember("The pet of Priya is a ferret.")
    await memory.wait_until_idle(60)
    for question in ("Which pet does Priya keep?", "What animal does Priya have at home?"):
        found = [hit.text for hit in (await memory.search_memory(question)).hits]
        assert found == ["The pet of Priya is a ferret."]
