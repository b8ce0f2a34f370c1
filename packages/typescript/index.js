// Written by `python -m packages.write` from the OpenAPI document.
import { Caller } from "./call.js";

export { MemoriaProblem } from "./call.js";

const OPERATIONS = {
  record_conversation: { method: "POST", path: "/memory/ingest" },
  list_sessions: { method: "GET", path: "/memory/sessions", reads: true },
  get_session: { method: "GET", path: "/memory/sessions/{session_id}", reads: true },
  get_turn: { method: "GET", path: "/memory/turns/{turn_id}", reads: true },
  get_attachment: { method: "GET", path: "/memory/turns/{turn_id}/attachment", reads: true },
  list_scratchpads: { method: "GET", path: "/memory/scratchpads", reads: true },
  get_scratchpad: { method: "GET", path: "/memory/scratchpads/{session_id}", reads: true },
  update_scratchpad: { method: "PUT", path: "/memory/scratchpads/{session_id}" },
  recall: { method: "POST", path: "/memory/recall", reads: true },
  search_memory: { method: "POST", path: "/memory/search", reads: true },
  search_conversation_traces: { method: "POST", path: "/memory/traces", reads: true },
  list_memories: { method: "GET", path: "/memory/nodes", reads: true },
  remember: { method: "POST", path: "/memory/nodes" },
  remember_several: { method: "POST", path: "/memory/nodes/batch" },
  get_memory: { method: "GET", path: "/memory/nodes/{memory_id}", reads: true },
  revise_memory: { method: "PATCH", path: "/memory/nodes/{memory_id}" },
  give_feedback: { method: "POST", path: "/feedback" },
  get_memory_history: { method: "GET", path: "/memory/nodes/{memory_id}/history", reads: true },
  get_origin: { method: "GET", path: "/memory/nodes/{node_id}/origin", reads: true },
  look_around: { method: "GET", path: "/memory/graph", reads: true },
  list_review: { method: "GET", path: "/memory/review", reads: true },
  read_core: { method: "GET", path: "/memory/core", reads: true },
  preview_forget: { method: "POST", path: "/memory/forget/preview" },
  forget_memory: { method: "POST", path: "/memory/forget" },
  list_forget_reports: { method: "GET", path: "/memory/forgotten", reads: true },
  get_forget_report: { method: "GET", path: "/memory/forgotten/{report_id}", reads: true },
  tell_status: { method: "GET", path: "/memory/status", reads: true },
  list_queue: { method: "GET", path: "/memory/queue", reads: true },
  list_log: { method: "GET", path: "/memory/audit" },
  begin_night: { method: "POST", path: "/memory/consolidate" },
  list_nights: { method: "GET", path: "/memory/nights" },
  get_night: { method: "GET", path: "/memory/nights/{run_id}" },
  undo_night: { method: "POST", path: "/memory/nights/{run_id}/undo" },
  export_memory: { method: "GET", path: "/memory/export", answers: "application/jsonl" },
  import_memory: { method: "POST", path: "/memory/import", takes: "application/jsonl" },
  list_events: { method: "GET", path: "/memory/events", answers: "text/event-stream", reads: true },
  list_webhooks: { method: "GET", path: "/memory/webhooks" },
  add_webhook: { method: "POST", path: "/memory/webhooks" },
  test_webhook: { method: "POST", path: "/memory/webhooks/{webhook_id}/test" },
  remove_webhook: { method: "POST", path: "/memory/webhooks/{webhook_id}/remove" },
};

/** One tenant's memory on a server: a method per operation of its REST interface. */
export class Memoria extends Caller {
  constructor(options) {
    super(options, OPERATIONS, "memoria-typescript/0.1.1");
  }

  /** Keep the turns of a conversation verbatim. They are on disk when it answers. */
  recordConversation(given, options) {
    return this.body("record_conversation", given, options);
  }

  /** List the recorded sessions, the newest first. */
  listSessions(given, options) {
    return this.body("list_sessions", given, options);
  }

  /** Return a page of a session's turns, in order. */
  getSession(given, options) {
    return this.body("get_session", given, options);
  }

  /** Return a turn whole, or a page of a long one, with the turns beside it. */
  getTurn(given, options) {
    return this.body("get_turn", given, options);
  }

  /** Return a file that came with a message, its bytes in base64. */
  getAttachment(given, options) {
    return this.body("get_attachment", given, options);
  }

  /** List what the latest sessions are working on. */
  listScratchpads(given, options) {
    return this.body("list_scratchpads", given, options);
  }

  /** Return what a session is working on, and the last five tasks that it finished. */
  getScratchpad(given, options) {
    return this.body("get_scratchpad", given, options);
  }

  /** Say what a session is working on, or what is done. */
  updateScratchpad(given, options) {
    return this.body("update_scratchpad", given, options);
  }

  /** Build what is put before a model, within a budget of tokens: persona, task, last turns, memories and evidence, cited. */
  recall(given, options) {
    return this.body("recall", given, options);
  }

  /** Search the memories: conclusions, best first, with their sources. */
  searchMemory(given, options) {
    return this.body("search_memory", given, options);
  }

  /** Search the verbatim record, tool calls included. */
  searchConversationTraces(given, options) {
    return this.body("search_conversation_traces", given, options);
  }

  /** List memories, the one that became valid last first. */
  listMemories(given, options) {
    return this.body("list_memories", given, options);
  }

  /** Keep a statement as a memory. What is known already is not kept twice. */
  remember(given, options) {
    return this.body("remember", given, options);
  }

  /** Keep several statements. What of them can't be kept is named, and the others are kept. */
  rememberSeveral(given, options) {
    return this.body("remember_several", given, options);
  }

  /** Return a memory whole: its wordings, when each held, and where each came from. */
  getMemory(given, options) {
    return this.body("get_memory", given, options);
  }

  /** Correct, confirm, archive or restore a memory, or set where it is seen. Its former wording stays in its history. */
  reviseMemory(given, options) {
    return this.body("revise_memory", given, options);
  }

  /** Pin a memory, vote it up when it helped, or down when it misled. */
  giveFeedback(given, options) {
    return this.body("give_feedback", given, options);
  }

  /** Return what became of a memory: each wording, what said it again, and what was done to it. */
  getMemoryHistory(given, options) {
    return this.body("get_memory_history", given, options);
  }

  /** Return a memory with every turn it rests on and every link, or a turn with the memories drawn from it. */
  getOrigin(given, options) {
    return this.body("get_origin", given, options);
  }

  /** Return what is known of a person, place or thing, and the memories that speak of it. */
  lookAround(given, options) {
    return this.body("look_around", given, options);
  }

  /** List what waits for the user's word, which only the user gives, in a shell. */
  listReview(given, options) {
    return this.body("list_review", given, options);
  }

  /** Return the core files: what always matters, who the user is, and how to behave. */
  readCore(given, options) {
    return this.body("read_core", given, options);
  }

  /** Show what a forget would erase, with a token for just that. Nothing is forgotten yet. */
  previewForget(given, options) {
    return this.body("preview_forget", given, options);
  }

  /** Erase for good what a preview has shown: gone everywhere but from backups, and not learnt again. */
  forgetMemory(given, options) {
    return this.body("forget_memory", given, options);
  }

  /** List the proofs of what was forgotten: what left which index, and no word of it. */
  listForgetReports(given, options) {
    return this.body("list_forget_reports", given, options);
  }

  /** Return the proof of a forget, with a digest of each item. */
  getForgetReport(given, options) {
    return this.body("get_forget_report", given, options);
  }

  /** Count what this memory holds, what waits to be read, and what reading has cost. */
  tellStatus(given, options) {
    return this.body("tell_status", given, options);
  }

  /** List what a chat model has still to read, has read, or could not. */
  listQueue(given, options) {
    return this.body("list_queue", given, options);
  }

  /** List what was done to memories and turns, when and by whom; it holds no text of theirs. */
  listLog(given, options) {
    return this.body("list_log", given, options);
  }

  /** Begin nightly maintenance, or finish the run that was begun: merging duplicates, fading, archiving, core files. It goes on after the answer. */
  beginNight(given, options) {
    return this.body("begin_night", given, options);
  }

  /** List the runs of nightly maintenance, newest first. */
  listNights(given, options) {
    return this.body("list_nights", given, options);
  }

  /** Return a run of nightly maintenance, and what it changed. */
  getNight(given, options) {
    return this.body("get_night", given, options);
  }

  /** Take back what a run changed, and what all later runs changed. */
  undoNight(given, options) {
    return this.body("undo_night", given, options);
  }

  /** Export all that this memory holds, a JSON document a line; `/memory/import` and `memoria import` read it. */
  exportMemory(given, options) {
    return this.body("export_memory", given, options);
  }

  /** Bring in an export. It may be sent again: what is here already is not doubled. */
  importMemory(given, options) {
    return this.body("import_memory", given, options);
  }

  /** Tell what changes in this memory as it changes, by ids alone, as server-sent events. `Last-Event-ID` goes on where a stream has ended. */
  listEvents(given, options) {
    return this.body("list_events", given, options);
  }

  /** List the addresses to which events are sent, and how far each has come. */
  listWebhooks(given, options) {
    return this.body("list_webhooks", given, options);
  }

  /** Send what changes in this memory from now on to an address, signed with a secret that is shown this once. */
  addWebhook(given, options) {
    return this.body("add_webhook", given, options);
  }

  /** Send a message without events to a webhook now. */
  testWebhook(given, options) {
    return this.body("test_webhook", given, options);
  }

  /** Send no more events to a webhook. */
  removeWebhook(given, options) {
    return this.body("remove_webhook", given, options);
  }
}
