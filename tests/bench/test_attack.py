"""Attacks that take a moment are tried with every change; `python -m bench.attack` tries all."""

import pytest
from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import Attack
from bench.attack.campaign import list_attacks, try_attack

ATTACKS = list_attacks()
LEAST = 40


def test_there_are_many_attacks_and_each_says_what_it_tries() -> None:
    assert len(ATTACKS) >= LEAST
    assert [attack.name for attack in ATTACKS if not attack.tried.endswith(".")] == []


@pytest.mark.parametrize("attack", [one for one in ATTACKS if not one.slow], ids=lambda a: a.name)
async def test_an_attack_that_takes_a_moment_is_held(attack: Attack) -> None:
    verdict = await try_attack(attack)
    assert verdict.broken == ()
    assert verdict.skipped is None


def attack_that(attempt: str) -> Attack:
    async def run(arena: Arena) -> None:
        match attempt:
            case "sees a breach":
                arena.check(False, "the wall is down")
            case "sees none":
                arena.check(True, "the wall is down")
            case "fails":
                raise RuntimeError("no way in")
            case "can't be tried":
                raise SkippedError("no such wall here")
            case _:
                pass

    return Attack(attempt, "tests", attempt, run, slow=False)


async def test_what_an_attack_sees_becomes_its_verdict() -> None:
    verdicts = {
        attempt: await try_attack(attack_that(attempt))
        for attempt in ("sees a breach", "sees none", "fails", "can't be tried", "looks nowhere")
    }
    assert verdicts["sees none"].broken == ()
    assert verdicts["sees a breach"].broken == ("the wall is down",)
    assert "RuntimeError" in verdicts["fails"].broken[0]
    assert verdicts["can't be tried"].skipped == "no such wall here"
    assert verdicts["looks nowhere"].broken == ("it looked at nothing",)
