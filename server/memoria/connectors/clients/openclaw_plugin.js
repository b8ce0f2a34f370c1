const textOf = (message) => {
  const content = message?.content
  if (typeof content === "string") return content.trim()
  return (Array.isArray(content) ? content : []).filter((part) => part?.type === "text")
    .map((part) => part.text).join("\n").trim()
}

const isUsers = (context) =>
  context?.trigger === "user" && context.sessionId &&
  !String(context.sessionKey ?? "").includes(":subagent:") &&
  (context.inputProvenance?.kind ?? "external_user") === "external_user"

const sessions = new Map() // of the user's own agent: what is laid before its model

// The folder that the server is started in: an agent's own workspace would be another project.
const base = (context) => ({ session_id: context.sessionId, cwd: process.cwd() })

async function close(name, of) {
  if (sessions.delete(of?.sessionId)) await tell(name, base(of))
}

export default {
  id: "memoria",
  name: "Memoria",
  description: "Long-term memory",
  register(api) {
    api.on("before_prompt_build", quietly(async (event, context) => {
      const prompt = (event.currentUserMessage ?? event.prompt ?? "").trim()
      if (!isUsers(context) || !prompt) return
      const held = sessions.get(context.sessionId) ?? { run: "", briefing: null, recall: "" }
      sessions.set(context.sessionId, held)
      if (held.run !== context.runId) { // a prompt may be built more than once
        held.run = context.runId
        const options = RECALL ? ["--recall"] : []
        if (held.briefing === null) {
          held.briefing = ""
          const said = await tell("SessionStart", { ...base(context), source: "startup" }, options)
          held.briefing = contextOf(said)
        }
        const id = `${context.runId}:user`
        const payload = { ...base(context), prompt, prompt_id: context.runId, message_key: id }
        held.recall = contextOf(await tell("UserPromptSubmit", payload, options))
      }
      const laid = [held.briefing, held.recall].filter(Boolean).join("\n\n")
      return laid ? { appendSystemContext: laid } : undefined
    }))
    api.on("agent_end", quietly(async (event, context) => {
      if (!isUsers(context) || !sessions.has(context.sessionId)) return
      const said = textOf((event.messages ?? []).findLast((one) => one?.role === "assistant"))
      const id = `${context.runId}:assistant`
      const payload = { ...base(context), last_assistant_message: said, message_key: id }
      if (said && event.success) await tell("Stop", payload)
    }))
    api.on("after_tool_call", quietly(async (event, context) => {
      if (!sessions.has(context?.sessionId)) return
      await tell("PostToolUse", {
        ...base(context),
        tool_name: event.toolName,
        tool_input: event.params,
        tool_use_id: event.toolCallId,
        tool_response: event.result ?? event.error,
      })
    }))
    api.on("before_compaction", quietly(async (_event, context) => close("PreCompact", context)))
    api.on("session_end", quietly(async (event) => close("SessionEnd", event)))
  },
}
