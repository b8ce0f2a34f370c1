"""A program's policy answers before a night replaces or archives what a chat model has judged."""

from collections.abc import Callable

from tests.lifecycle.dump import memory
from tests.lifecycle.test_merge import ruling, with_model
from tests.lifecycle.test_night_verdicts import BOTH_STAY, LEEDS, REPLACED, YORK, pair_of, stand
from tests.lifecycle.test_review import LATER, judge
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Memory, Policy
from memoria.config import Settings
from memoria.model import DAY_MS, Validity, system_millis, use_clock
from memoria.policy.questions import Fate, Replacement


class Mild(Policy):
    """Lets everything stand."""

    def replace(self, new: Memory, known: Memory, ours: Replacement) -> Replacement:  # noqa: ARG002
        return "beside"

    def forget(self, memory: Memory, ours: Fate) -> Fate:  # noqa: ARG002
        return "keep"


async def test_what_a_nights_model_replaces_stays_where_a_policy_lets_both_hold(
    settings: Settings,
) -> None:
    ids = pair_of(settings, LEEDS, YORK)
    with ScriptedModel(answer=ruling(**{"": "replaces"})) as model:
        chosen = with_model(settings, model)
        async with memoria.open(settings=chosen, policy=Mild(), reads_queue=False) as m:
            run = await m.run_nightly(["merge"])
            assert run.steps[0].outcomes == {"kept": 1}
            again = await m.run_nightly(["merge"])
            assert again.steps[0].outcomes == {}
        assert stand(settings, *ids) == BOTH_STAY
        assert len(model.requests) == 1


async def test_without_a_policy_the_same_night_replaces_it(settings: Settings) -> None:
    ids = pair_of(settings, LEEDS, YORK)
    with ScriptedModel(answer=ruling(**{"": "replaces"})) as model:
        async with memoria.open(settings=with_model(settings, model), reads_queue=False) as m:
            await m.run_nightly(["merge"])
    assert stand(settings, *ids) == REPLACED


async def test_what_a_reviewer_would_archive_stays_where_a_policy_keeps_it(
    settings: Settings, keep: Callable[..., str]
) -> None:
    judged: dict[bool, Validity] = {}
    for is_mild in (True, False):
        looked = keep(f"they looked for the port, {is_mild}", kind="episode")
        with ScriptedModel(answer=judge(port="DELETE")) as model:
            chosen = with_model(settings, model)
            policy = Mild() if is_mild else None
            async with memoria.open(settings=chosen, policy=policy, reads_queue=False) as m:
                with use_clock(lambda: system_millis() + LATER * DAY_MS):
                    await m.run_nightly(["decay", "review"])
        judged[is_mild] = memory(settings, looked).validity
    assert judged == {True: Validity.ACTIVE, False: Validity.ARCHIVED}
