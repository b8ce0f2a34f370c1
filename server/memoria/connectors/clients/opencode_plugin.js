const textOf = (parts) =>
  (parts ?? []).filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text).join("\n").trim()

// A prompt on the command line is an argument, which is wrapped in quotes where it has a blank.
function typed(prompt) {
  const inner = prompt.slice(1, -1)
  const isWrapped = prompt.startsWith('"') && prompt.endsWith('"') && inner.includes(" ")
  const isWhole = isWrapped && !inner.replaceAll('\\"', "").includes('"')
  return isWhole ? inner.replaceAll('\\"', '"') : prompt
}

// A shell's output does not say that the command failed.
function resultOf(output) {
  const code = output?.metadata?.exit
  return code ? { output: output.output, exit_code: code } : output?.output
}

export const Memoria = async ({ client, directory }) => {
  const briefings = new Map() // session -> what is laid before the model
  const prompts = new Map() // session -> the prompt that nothing was recalled for yet
  const asking = new Set() // sessions whose model is about to be asked
  const recalls = new Map() // session -> a promise of what was
  const agents = new Map() // session -> whether it is a subagent's

  async function isAgent(session) {
    if (!agents.has(session)) {
      const found = await client.session.get({ path: { id: session } })
      agents.set(session, Boolean(found?.data?.parentID))
    }
    return agents.get(session)
  }

  const base = (session) => ({ session_id: session, cwd: directory })

  return {
    "chat.message": quietly(async (input, output) => {
      const session = input.sessionID
      const prompt = typed(textOf(output?.parts))
      if (!prompt || (await isAgent(session))) return
      if (!briefings.has(session)) {
        briefings.set(session, "")
        const said = await tell("SessionStart", { ...base(session), source: "startup" })
        briefings.set(session, contextOf(said))
      }
      const id = output?.message?.id
      const payload = { ...base(session), prompt, prompt_id: id, message_key: id }
      tell("UserPromptSubmit", payload)
      asking.delete(session)
      recalls.delete(session)
      if (RECALL) prompts.set(session, payload)
    }),
    // The request for a title comes before this one, and before the servers are started.
    "experimental.chat.messages.transform": quietly(async (_input, output) => {
      asking.add(output?.messages?.at(-1)?.info?.sessionID)
    }),
    // Only now the servers of a first prompt are there. It is told once more, under the same id.
    "experimental.chat.system.transform": quietly(async (input, output) => {
      const session = input?.sessionID
      const payload = asking.has(session) && prompts.get(session)
      if (payload) {
        prompts.delete(session)
        recalls.set(session, tell("UserPromptSubmit", payload, ["--recall"]).then(contextOf))
      }
      for (const text of [briefings.get(session), await recalls.get(session)]) {
        if (text) output.system.push(text)
      }
    }),
    "tool.execute.after": quietly(async (input, output) => {
      if (await isAgent(input.sessionID)) return
      const said = tell("PostToolUse", {
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_input: input.args,
        tool_use_id: input.callID,
        message_key: input.callID,
        tool_response: resultOf(output),
      }, GUARD ? ["--guard"] : [])
      const word = GUARD && contextOf(await said)
      if (word) output.output += `\n\n${word}`
    }),
    "experimental.session.compacting": quietly(async (input) => {
      briefings.delete(input.sessionID)
      tell("PreCompact", base(input.sessionID))
    }),
    event: quietly(async ({ event }) => {
      const session = event?.properties?.sessionID
      if (event?.type !== "session.idle" || !session || (await isAgent(session))) return
      const held = await client.session.messages({ path: { id: session } })
      const last = (held?.data ?? []).findLast((one) => one.info?.role === "assistant")
      const said = textOf(last?.parts)
      if (!said) return
      const id = last.info.id
      tell("Stop", { ...base(session), last_assistant_message: said, turn_id: id, message_key: id })
    }),
  }
}
