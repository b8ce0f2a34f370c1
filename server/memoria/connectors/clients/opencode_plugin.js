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

export const Memoria = async ({ client, directory }) => {
  const briefings = new Map() // session -> what is laid before the model
  const recalls = new Map()
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
        const began = { ...base(session), source: "startup" }
        const said = await tell("SessionStart", began, RECALL ? ["--recall"] : [])
        briefings.set(session, contextOf(said))
      }
      const id = output?.message?.id
      const payload = { ...base(session), prompt, prompt_id: id, message_key: id }
      const told = tell("UserPromptSubmit", payload, RECALL ? ["--recall"] : [])
      recalls.set(session, RECALL ? contextOf(await told) : "")
    }),
    "experimental.chat.system.transform": quietly(async (input, output) => {
      for (const laid of [briefings, recalls]) {
        const text = laid.get(input?.sessionID)
        if (text) output.system.push(text)
      }
    }),
    "tool.execute.after": quietly(async (input, output) => {
      if (await isAgent(input.sessionID)) return
      tell("PostToolUse", {
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_input: input.args,
        tool_use_id: input.callID,
        message_key: input.callID,
        tool_response: output?.output,
      })
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
