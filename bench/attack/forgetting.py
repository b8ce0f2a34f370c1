"""Having forgotten what nobody meant, and finding what should be gone."""

import re
import sqlite3
import time
from contextlib import closing

import anyio
from mcp.types import ElicitRequestParams, ElicitResult

from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import attack, slow_attack
from bench.attack.endpoint import Request, serve_model
from bench.attack.remains import DATABASE, find_remains
from bench.attack.returning import FACT, WORD, forget_fact, see_return

_MANY = 60


@attack
async def forget_a_statement_that_another_one_nearly_repeats(arena: Arena) -> None:
    """Forget one of two near-duplicates, and see the other go without having been named."""
    one, other = "Harbor go-live is 12 April 2027", "harbor go-live is 12 april 2027."
    for first, second in ((one, other), ("王芳的生日是五月三日", "王芳的生日是五月三日。")):
        async with arena.connect(tenant=first) as caller:
            kept = await caller.remember(first)
            twin = await caller.remember(second)
            asked = await caller.ask("forget_memory", ids=[twin])
            shown = asked.everything
            left = await caller.texts(first)
            named = first in shown or kept in shown
            arena.check(kept == twin or bool(left) or named, f"{first!r} went unannounced")


@slow_attack
async def have_an_agent_forget_many_memories_in_one_call(arena: Arena) -> None:
    """Empty a memory with one call of a client that can't ask its user."""
    async with arena.connect() as caller:
        ids = [await caller.remember(f"Crate number {i} holds {i * 7} lamps") for i in range(_MANY)]
        answer = await caller.ask("forget_memory", ids=ids)
        left = 0
        for one in ids:
            left += (await caller.ask("get_memory", id=one)).refusal is None
        arena.check(left > _MANY // 2, f"{_MANY - left} of {_MANY} went with one call")
        arena.check(bool(answer.everything.strip()), "it is not told why they stay")


@attack
async def confirm_a_forget_with_a_made_up_token(arena: Arena) -> None:
    """Skip the preview: forget with a token that nobody gave, or one given for something else."""
    async with arena.connect() as caller, arena.connect(tenant="other") as stranger:
        first = await caller.remember("The lighthouse keeper is called Odalys")
        second = await caller.remember("The ferry to the island leaves at seven")
        tokens = ["1", "", "0" * 64, "null", "../../token"]
        shown = (await caller.ask("forget_memory", ids=[first])).data
        if "token" not in shown:
            raise SkippedError("forget_memory asks for no token")
        tokens.append(str(shown["token"]))
        theirs = await stranger.remember("The ferry to the island leaves at seven")
        given = (await stranger.ask("forget_memory", ids=[theirs])).data
        tokens.append(str(given.get("token", "2")))
        for token in tokens:
            await caller.ask("forget_memory", ids=[second], token=token)
            there = (await caller.ask("get_memory", id=second)).refusal is None
            arena.check(there, f"{token!r} was taken for a confirmation")
        there = (await stranger.ask("get_memory", id=theirs)).refusal is None
        arena.check(there, "another tenant's memory went")


@attack
async def change_what_a_confirmed_preview_covers(arena: Arena) -> None:
    """Add a duplicate between the preview and its confirmation: it must not go unseen."""
    async with arena.connect() as caller:
        memory = await caller.remember("The spare key hangs behind the blue door")
        shown = (await caller.ask("forget_memory", ids=[memory])).data
        if "token" not in shown:
            raise SkippedError("forget_memory asks for no token")
        await caller.say("Remember: the spare key hangs behind the blue door, next to the map.")
        more = await caller.remember("the spare key hangs behind the blue door next to the map")
        await caller.ask("forget_memory", ids=[memory], token=shown["token"])
        there = (await caller.ask("get_memory", id=more)).refusal is None
        arena.check(there, "what came after the preview went with it")


class _User:
    """A user who is asked, and says no."""

    def __init__(self, action: str) -> None:
        self.asked: list[str] = []
        self._action = action

    async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002
        """Answer what is asked."""
        self.asked.append(params.message)
        return ElicitResult.model_validate({"action": self._action})


@attack
async def forget_against_the_users_no(arena: Arena) -> None:
    """Have an agent forget what the user, when asked by the client, declines to forget."""
    for action in ("decline", "cancel"):
        user = _User(action)
        async with arena.connect(tenant=action, elicitation_callback=user) as caller:
            memory = await caller.remember("The orchard has forty pear trees")
            await caller.forget(memory)
            there = (await caller.ask("get_memory", id=memory)).refusal is None
            arena.check(bool(user.asked), f"{action}: nobody was asked")
            arena.check(there, f"{action}: it went all the same")


@slow_attack
async def look_for_forgotten_words_in_every_byte_of_the_home(arena: Arena) -> None:
    """Search the database, its log, core files, pages, histories, /tmp and stderr for them."""
    async with arena.serve() as caller:
        await caller.say(f"Remember: {FACT}.", "What do you think of it?")
        await caller.call("update_scratchpad", current_focus=FACT, session_id="s")
        await caller.remember(f"Our plan for {WORD} is to row there")
        await caller.say("All done.", event="session_end")
        await arena.run("nightly")
        for query in (f"{WORD} Pier vault", f"{WORD} plan row"):
            ids = [hit["id"] for hit in await caller.find(query)]
            ids += [hit["id"] for hit in await caller.find(query, "search_conversation_traces")]
            await caller.forget(*dict.fromkeys(ids), include_source=True)
        pads = await caller.call("update_scratchpad", current_focus="", session_id="s")
        arena.check(WORD not in str(pads), "the scratchpad still says it")
        stderr = caller.stderr
    for folder in (arena.home, arena.temporary):
        left = find_remains(folder, WORD, "vault", "row there")
        arena.check(not left, f"words of it are left in {left}")
    arena.check(WORD not in stderr, f"the server's log holds it: {stderr[-200:]}")


@slow_attack
async def hold_a_read_transaction_while_something_is_forgotten(arena: Arena) -> None:
    """Keep the old pages open from another process during a forget, and read them afterwards."""
    async with arena.serve() as caller:
        memory = await caller.remember(FACT)
        with closing(sqlite3.connect(arena.home / DATABASE, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memory_versions").fetchone()
            answer = await caller.forget(memory, include_source=True)
            told = "not wiped" in answer.everything or answer.data.get("scrubbed") is False
            left = find_remains(arena.home, "Marigold Pier")
            arena.check(told or not left, f"it says wiped, and {left} hold it")
            arena.check(not await caller.find("Marigold vault"), "it is still found")
            reader.execute("COMMIT")
        ran = await arena.run("doctor", "--fix")
        arena.check(ran.code == 0, f"doctor --fix: {ran.text[-200:]}")
    left = find_remains(arena.home, "Marigold Pier")
    arena.check(not left, f"after the reader has gone it is left in {left}")


@slow_attack
async def forget_while_a_night_runs(arena: Arena) -> None:
    """Forget a memory in the middle of nightly maintenance that waits for a slow chat model."""
    asked, may_go_on = anyio.Event(), False

    def play(request: Request) -> object:
        nonlocal may_go_on
        deadline = time.monotonic() + 20
        arena.notes["questions of the night"] = arena.notes.get("questions of the night", 0) + 1
        while not may_go_on and time.monotonic() < deadline:
            time.sleep(0.02)
        if "sentences" in request.text:
            return {"sentences": [{"text": FACT, "turns": [1]}]}
        return {"operations": [], "action": "SKIP", "decision": "KEEP", "relation": "same"}

    with serve_model(play) as model:
        environment = {"MEMORIA_LLM_BASE_URL": model.url, "MEMORIA_LLM_MODEL": "hostile"}
        async with arena.serve() as caller:
            for day in range(1, 4):
                at = f"2026-01-0{day}T10:00:00Z"
                turns = [{"role": "user", "content": f"Remember: {FACT} ({day}).", "at": at}]
                await caller.call("record_conversation", turns=turns, session_id=f"d{day}")
                await caller.call(
                    "record_conversation", turns=[], event="session_end", session_id=f"d{day}"
                )
            memory = await caller.remember(FACT)
            with arena.start("nightly", **environment) as night:
                for _ in range(200):
                    if model.requests or night.poll() is not None:
                        break
                    await anyio.sleep(0.05)
                asked.set()
                ids = [hit["id"] for hit in await caller.find("Marigold vault")]
                ids += [
                    h["id"] for h in await caller.find("Marigold", "search_conversation_traces")
                ]
                answer = await caller.forget(*dict.fromkeys([memory, *ids]), include_source=True)
                arena.check(answer.refusal is None, f"refused: {answer.refusal}")
                may_go_on = True
                await anyio.to_thread.run_sync(night.communicate)
                arena.check(night.returncode == 0, f"the night ended with {night.returncode}")
            await see_return(arena, caller, "after the night")
            runs = await arena.run("nightly", "runs", "--json")
            for run in _run_ids(runs.out):
                await arena.run("nightly", "undo", run)
            await see_return(arena, caller, "after the undo")
    await arena.run("doctor", "--fix")
    left = find_remains(arena.home, "Marigold Pier")
    arena.check(not left, f"it is left in {left}")


def _run_ids(printed: str) -> list[str]:
    return re.findall(r'"id": "([^"]+)"', printed)


@slow_attack
async def undo_a_night_to_bring_back_what_was_forgotten(arena: Arena) -> None:
    """Undo every nightly run after a forget: the journal must not hold the rows."""
    async with arena.serve() as caller:
        memory = await caller.remember(FACT)
        await caller.remember("Marigold Pier opens its vault on 12 April 2027 at noon")
        await arena.run("nightly")
        await caller.forget(memory, include_source=True)
        ids = [hit["id"] for hit in await caller.find("Marigold vault noon")]
        if ids:
            await caller.forget(*ids, include_source=True)
        left = find_remains(arena.home, "Marigold Pier")
        arena.check(not left, f"after the forget it is left in {left}")
        runs = await arena.run("nightly", "runs", "--json")
        for run in _run_ids(runs.out):
            await arena.run("nightly", "undo", run)
        await see_return(arena, caller, "after the undo")
    left = find_remains(arena.home, "Marigold Pier")
    arena.check(not left, f"after the undo it is left in {left}")


@slow_attack
async def restore_an_older_backup_to_bring_back_what_was_forgotten(arena: Arena) -> None:
    """Restore a backup that was made before a forget, in the home that remembers forgetting."""
    backup = arena.folder / "before.zip"
    async with arena.serve() as caller:
        memory = await caller.remember(FACT)
        await arena.run("backup", backup)
        await caller.forget(memory, include_source=True)
    ran = await arena.run("restore", backup, "--yes")
    arena.check(ran.code == 0, f"restore: {ran.text[-200:]}")
    found = await arena.run("search", "Marigold", "vault", "--json")
    arena.check(WORD not in found.out, "it is found again")


@attack
async def ask_every_face_for_a_forgotten_id(arena: Arena) -> None:
    """Ask tools, resources and prompts for the id of a forgotten memory: not a word comes back."""
    async with arena.connect() as caller:
        (turn,) = await caller.say(f"Remember: {FACT}.")
        ids = [hit["id"] for hit in await caller.find("Marigold vault")]
        memory = await forget_fact(caller, "Marigold is the colour of the boat")
        await caller.forget(*ids, turn, include_source=True)
        shown = await caller.show_model("Marigold Pier vault", memory, turn, *ids)
        for action in ("restore", "upvote", "correct", "pin"):
            answer = await caller.ask("revise_memory", id=memory, action=action, content="x y z")
            shown[f"revise {action}"] = answer.everything
        for place, text in shown.items():
            asked_back = text.replace("Marigold Pier vault", "")
            arena.check(WORD not in asked_back, f"{place}: {asked_back[:200]}")
