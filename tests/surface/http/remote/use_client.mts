// Uses the TypeScript client against a server, and prints what it saw as JSON.
import { Memoria, MemoriaProblem, type ExplainedConclusions } from "../../../../packages/typescript/index.js";

declare const process: { env: Record<string, string> };

const SHOWN = 40;
const { MEMORIA_URL: url, MEMORIA_TOKEN: token } = process.env;
const memoria = new Memoria({ url, token });
const nobody = new Memoria({ url: "http://127.0.0.1:1", token });

async function seeProblem(call: () => Promise<unknown>): Promise<unknown[]> {
  try {
    return [await call()];
  } catch (error) {
    if (!(error instanceof MemoriaProblem)) throw error;
    if (error.status === 0) return [0, error.message.split(". ").at(-1)];
    return [error.status, error.kind, error.message.slice(0, SHOWN)];
  }
}

const receipt = await memoria.recordConversation(
  { session_id: "s/1", turns: [{ role: "user", content: "We deploy the checkout on Tuesdays." }] },
  { idempotencyKey: "first" },
);
const again = await memoria.recordConversation(
  { session_id: "s/1", turns: [{ role: "user", content: "We deploy the checkout on Tuesdays." }] },
  { idempotencyKey: "first" },
);
const kept = await memoria.remember({ content: "The checkout is deployed on Tuesdays.", type: "rule" });
const id = kept.id ?? "";
const found: ExplainedConclusions = await memoria.searchMemory({ query: "deploy the checkout" });
const session = await memoria.getSession({ session_id: "s/1" });
const listed = await memoria.listMemories({ types: ["rule", "fact"], limit: 5 });
const { etag, status } = await memoria.request("get_memory", { memory_id: id });
const known = await memoria.request("get_memory", { memory_id: id }, { ifNoneMatch: etag });
const revision = { memory_id: id, action: "correct", content: "It is deployed on Mondays." } as const;
const refused = await seeProblem(() => memoria.reviseMemory(revision, { ifMatch: '"other"' }));
const exported = await (await memoria.exportMemory()).text();
const merged = await memoria.importMemory({ lines: exported });
const preview = await memoria.previewForget({ ids: [id] });
const forgotten = await memoria.forgetMemory({ ids: [id], token: preview.token ?? "" });

console.log(
  JSON.stringify({
    recorded: [receipt.recorded, again.recorded, again.already_recorded],
    hits: found.hits.map((hit) => hit.id === id || hit.source.session_id),
    session: session.turns.map((turn) => turn.text),
    listed: listed.memories.map((memory) => memory.text),
    etags: [status, typeof etag, known.status, known.body],
    refused,
    exported: exported.split("\n").length > 2,
    merged: merged.bad,
    forgotten: forgotten.memories?.[0] === id,
    missing: await seeProblem(() => memoria.getMemory({ memory_id: "nothing" })),
    empty: await seeProblem(() => memoria.searchMemory({ query: "" })),
    stranger: await seeProblem(() => new Memoria({ url, token: "mem_x" }).tellStatus()),
    nobody: await seeProblem(() => nobody.searchMemory({ query: "tea" })),
    unknown: await seeProblem(() => nobody.remember({ content: "Ann likes tea." })),
    atMcp: (await new Memoria({ url: `${url}/mcp`, token }).tellStatus()).tenant,
    unsafe: [
      "http://memory.example.com",
      "https://ann:secret@memory.example.com",
      "memory.example.com",
    ].map((address) => {
      try {
        return String(new Memoria({ url: address, token }));
      } catch (error) {
        return String(error).slice(0, SHOWN);
      }
    }),
    shown: [String(memoria), JSON.stringify(memoria)].join().includes(token),
  }),
);
