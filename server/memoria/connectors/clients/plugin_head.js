// __MARK__
//
// Hands what happens in a session to Memoria's hook program. The client runs this in its own
// process, so nothing here waits but what the model is to be told, and nothing here throws.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const RECALL = __RECALL__
const GUARD = __GUARD__
const LIMIT_MS = 9500 // the hook program ends itself after 3 s, with a recall after 9 s

function tell(event, payload, options = []) {
  return new Promise((resolve) => {
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), ...options], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      let said = ""
      const timer = setTimeout(() => { child.kill(); resolve("") }, LIMIT_MS)
      const finish = (text) => { clearTimeout(timer); resolve(text) }
      child.on("error", () => finish(""))
      child.on("close", () => finish(said))
      child.stdout.on("data", (chunk) => { said += chunk })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
    } catch {
      resolve("")
    }
  })
}

function contextOf(said) {
  try {
    return JSON.parse(said)?.hookSpecificOutput?.additionalContext ?? ""
  } catch {
    return ""
  }
}

// Everything that the client calls is wrapped: what goes wrong here is nobody's concern there.
const quietly = (work) => async (...given) => {
  try {
    return await work(...given)
  } catch {}
}

