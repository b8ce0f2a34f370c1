// Written by `python -m packages.write` from the OpenAPI document.
import { Caller, type CallOptions, type MemoriaOptions } from "./call.js";

export { MemoriaProblem } from "./call.js";
export type { Answer, CallOptions, MemoriaOptions, RequestOptions } from "./call.js";

/** A webhook, and the secret of its signatures, which is shown this once. */
export interface AddedWebhook {
  webhook: Webhook;
  secret: string;
}

/** An attachment with its bytes. */
export interface AttachmentFile {
  id: string;
  message_id: string;
  name?: string;
  media_type: string;
  size?: number;
  not_kept?: string;
  data: string;
}

/** A line of the append-only log: action, channel and time. */
export interface AuditEntry {
  at: string;
  action: string;
  channel: string;
  client?: string;
  caller?: string;
  detail?: string;
}

/** Numbers of documents that still wait for their vector. */
export interface BacklogStatus {
  pending: number;
  failed: number;
  last_error?: string;
}

/** A statement among several: one that can't be kept is named in the answer. */
export interface BatchedStatement {
  content: string;
  type?: string;
  importance?: number;
  valid_from?: string;
  until?: string;
  subject?: string;
  task?: string;
  entities?: (string | NamedEntity)[];
  supersedes?: string;
  turn_id?: string;
  quote?: string;
  session_id?: string;
  workspace?: string;
  scope?: "everywhere" | "project";
  again?: boolean;
  metadata?: Record<string, string | boolean | number | string[]>;
  covers?: string[];
}

/** A task that was done, or left for another task. */
export interface CompletedTask {
  task: string;
  at: string;
}

/** Conditions under which something was told, the mildest first. */
export type Condition = "told in confidence" | "not to be kept";

/** A package for a prompt. Blocks are plain text; `text` is all of them, fenced as data. */
export interface ContextPackage {
  persona: string;
  short_term: string;
  last_turns: string;
  recall: string;
  evidence: string;
  citations: string[];
  text: string;
  tokens: number;
  notes: string[];
}

/** A memory, and those that cannot be true together with it. */
export interface Contradicted {
  id: string;
  text: string;
  contradicts?: JsonValue;
}

/** The present text of each core file that is not empty, by its name. */
export interface CoreFiles {
  files: Partial<Record<"MEMORY.md" | "USER.md" | "PERSONA.md", string>>;
}

/** The other end of an edge, in words. */
export interface EdgeEnd {
  kind: "memory" | "turn" | "entity";
  id: string;
  text: string;
  detail?: string;
}

/** Relations that an edge states between its two ends. */
export type EdgeType = "TEMPORAL_NEXT" | "ABOUT" | "MENTIONS" | "ROLE" | "CAUSES" | "SUPPORTS" | "CONTRADICTS" | "DERIVED_FROM" | "REFERS_TO" | "SIMILAR_TO" | "SAME_AS" | "VERSION_NEXT";

/** A named thing, with the names that visible memories and turns use. */
export interface Entity {
  id: string;
  kind: "person" | "organisation" | "place" | "product" | "event" | "other";
  name: string;
  aliases?: string[];
  distinct?: string;
  mentions: number;
  same_as?: string;
}

/** A turn that a memory rests on, and the words there. */
export interface Evidence {
  turn_id: string;
  client: string;
  session_id: string;
  turn_index: number;
  role: Role;
  at: string;
  noted_at: string;
  message_id?: string;
  speaker?: string;
  quote?: string;
  version?: number;
}

/**
 * A document that was scored, and everything that decided its rank.
 *
 * Scores of parts are 0 to 1 and comparable within one search; `relevance` combines them, and
 * candidates are sorted by `score`.
 */
export interface ExplainedCandidate {
  id: string;
  kind: "memory" | "turn";
  text: string;
  lexical: number;
  cosine: number;
  graph: number;
  way?: string;
  coverage: number;
  reranked?: number;
  relevance: number;
  factors: Record<string, number>;
  score: number;
  margin: number;
  outcome: "shown" | "no room" | "past limit" | "repeats" | "below threshold";
}

/** A first-level answer, best first; with `explain`, what each stage contributed. */
export interface ExplainedConclusions {
  answered: boolean;
  omitted?: number;
  beyond_limit?: number;
  hidden?: number;
  notes?: string[];
  calls?: WireOutcome[];
  hits: WireConclusion[];
  explanation?: Explanation;
}

/** A second-level answer, best first; with `explain`, what each stage contributed. */
export interface ExplainedTraces {
  answered: boolean;
  omitted?: number;
  beyond_limit?: number;
  hidden?: number;
  notes?: string[];
  calls?: WireOutcome[];
  hits: WireTrace[];
  explanation?: Explanation;
}

/**
 * Sources, formula and scores by which an answer came about.
 *
 * The same search of the same store has the same explanation.
 */
export interface Explanation {
  path: string;
  formula: string;
  terms: string[];
  since?: string;
  until?: string;
  task?: string;
  as_of?: string;
  threshold: string;
  parts: PartReport[];
  candidates: ExplainedCandidate[];
}

/** Proof of a forget: the number of rows erased from each index, and no text. */
export interface ForgetReport {
  id: string;
  at: string;
  state: "hidden" | "erased" | "restored";
  purge_at?: string;
  purged_at?: string;
  items: Record<string, number>;
  removed: Record<string, number>;
  remaining: Record<string, number>;
  by: string;
  selected_by: string[];
  digests?: string[];
}

/** An entity with the memories that speak of it, or the entities of one name. */
export interface GraphAnswer {
  entity?: Entity;
  memories?: GraphMention[];
  omitted?: number;
  turns?: IncidentLink[];
  omitted_turns?: number;
  namesakes?: Entity[];
}

/** A memory that speaks of an entity. */
export interface GraphMention {
  id: string;
  type: MemoryType;
  validity: Validity;
  text: string;
  links: IncidentLink[];
  further_links?: IncidentLink[];
}

/** The history of a memory, oldest first. */
export interface HistoryAnswer {
  id: string;
  text: string;
  type: string;
  validity: string;
  verified: boolean;
  events: HistoryEvent[];
}

/** A wording, a turn that says it again, or an action on a memory. */
export interface HistoryEvent {
  at: string;
  event: "wording" | "evidence" | "action";
  wording?: SourcedWording;
  evidence?: Evidence;
  action?: string;
  channel?: string;
  client?: string;
  caller?: string;
  detail?: string;
}

/** A typed, weighted link between two nodes. */
export interface IncidentLink {
  type: EdgeType;
  weight: number;
  confidence: number;
  inferred_by: InferredBy;
  made_at: string;
  role?: "agent" | "patient" | "location" | "time" | "manner" | "instrument" | "recipient" | "cause" | "beneficiary";
  negated?: boolean;
  modality?: JsonValue;
  event_at?: string;
  event_expression?: string;
  turn_id?: string;
  direction?: "in" | "out" | "both";
  other?: EdgeEnd;
}

/** Reader that drew a conclusion from what was said. */
export type InferredBy = "statement" | "rules" | "model";

/** A turn to keep, with fields of the caller's own. */
export interface IngestedTurn {
  role: "user" | "assistant" | "tool" | "system";
  content?: string;
  session_id?: string;
  message_id?: string;
  speaker?: string;
  /** ISO 8601 */
  at?: string;
  tool_name?: string;
  tool_args?: JsonValue;
  tool_result?: JsonValue;
  metadata?: Record<string, string | boolean | number | string[]>;
}

export type JsonValue = unknown;

/** A statement said after a memory and near enough to be about the same. */
export interface LaterStatement {
  id: string;
  when: string;
  text: string;
}

/** A memory in a list: its present wording, and since when it holds. */
export interface ListedMemory {
  id: string;
  type: MemoryType;
  validity: Validity;
  pinned?: boolean;
  verified: boolean;
  workspace?: string;
  subject?: string;
  task?: string;
  metadata?: Record<string, string | boolean | number | string[]>;
  later?: LaterStatement;
  condition?: Condition;
  text: string;
  valid_from: string;
}

/** Lines of the audit log, newest first. */
export interface Log {
  actions: LoggedAction[];
}

/** A line of the log with its subject's id. */
export interface LoggedAction {
  at: string;
  action: string;
  channel: string;
  client?: string;
  caller?: string;
  detail?: string;
  subject: string;
}

/** A memory in a line. */
export interface MemoryLine {
  id: string;
  type: MemoryType;
  validity: Validity;
  text: string;
}

/** A page of memories. */
export interface MemoryList {
  total: number;
  elsewhere: number;
  withheld?: number;
  memories: ListedMemory[];
}

/** Kinds of conclusion. */
export type MemoryType = "fact" | "preference" | "rule" | "skill" | "error" | "goal" | "relationship" | "task_outcome" | "tool_experience" | "episode" | "concept";

/** Numbers of records that came in, by kind, and of those left out, by reason. */
export interface Merged {
  added: Record<string, number>;
  changed: Record<string, number>;
  known: Record<string, number>;
  forgotten: number;
  forgotten_here: number;
  private: number;
  redacted: number;
  unchecked: number;
  bad: number;
  bad_lines: UnreadImportLine[];
  gone_projects: string[];
}

/** A measurement of the memory by a nightly run. */
export interface Metric {
  name: string;
  value: number;
  bound?: number;
  exceeded: boolean;
}

/** A memory of the project whose files have changed or are gone. */
export interface MovedMemory {
  id: string;
  text: string;
  ground: WireGround;
}

export interface NamedEntity {
  name: string;
  kind?: "person" | "organisation" | "place" | "product" | "event" | "other";
}

/** A run, and the rows that it changed, in order. */
export interface Night {
  run: NightlyRun;
  changes: RowChange[];
}

/** A run that has begun. */
export interface NightlyRun {
  id: string;
  at: string;
  finished_at?: string;
  state: "running" | "finished" | "stopped" | "undoing" | "undone";
  undoable: boolean;
  since?: string;
  tokens: number;
  steps: StepReport[];
  metrics: Metric[];
}

/** Runs, newest first. */
export interface Nights {
  runs: NightlyRun[];
}

/** A memory with all of its evidence and links, or a turn with the memories drawn from it. */
export interface Origin {
  id: string;
  kind: "memory" | "turn";
  text: string;
  source: WireSource;
  type?: string;
  validity?: string;
  pinned?: boolean;
  verified?: boolean;
  condition?: string;
  metadata?: Record<string, JsonValue>;
  total_chars?: number;
  next_offset?: number;
  tool?: WireTool;
  attachments?: WireAttachment[];
  ground?: WireGround;
  versions?: WireWording[];
  before?: WireNeighbour[];
  after?: WireNeighbour[];
  wordings?: SourcedWording[];
  evidence?: Evidence[];
  links?: IncidentLink[];
  turn_range?: TurnRange;
  last_confirmed?: AuditEntry;
  weighing?: Weighing;
  memories?: MemoryLine[];
  restated_memories?: MemoryLine[];
  episodes?: MemoryLine[];
}

/** Outcome of one part of a search. */
export interface PartReport {
  part: "text" | "vectors" | "graph" | "recent" | "rerank";
  state: "used" | "idle" | "off" | "missing";
  found: number;
  why?: string;
}

/** A stretch of time, which the user switches on and off. */
export interface PrivateTime {
  workspace?: string;
  began_at: number;
  ended_at?: number;
}

/** A problem and what to do about it (RFC 9457). */
export interface Problem {
  title: string;
  status: number;
  detail?: string;
  kind?: string;
}

/** The extraction queue. */
export interface QueueAnswer {
  status: QueueStatus;
  entries: QueueEntry[];
}

/** A segment in the extraction queue, and its state. Times are UTC epoch milliseconds. */
export interface QueueEntry {
  id: string;
  kind: QueueKind;
  session_id: string;
  first_index: number;
  last_index: number;
  priority: number;
  reason: string;
  state: QueueState;
  attempts: number;
  not_before: number;
  leased_until: number;
  created_at: number;
  finished_at?: number;
  last_error?: string;
  outcome?: string;
}

/** Purposes for which a segment is to be read. */
export type QueueKind = "extract" | "episode";

/** States of an entry. All but the first are final unless somebody retries it. */
export type QueueState = "waiting" | "done" | "dead" | "dropped";

/** Numbers of entries in the queue, by state. */
export interface QueueStatus {
  waiting: number;
  done: number;
  dead: number;
  dropped: number;
  oldest_waiting_at?: number;
  last_error?: string;
}

/** Tokens that a chat model took for the conversation that it has read in some time. */
export interface ReadingPrice {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  conversation_tokens: number;
}

/** Outcome of several statements. */
export interface RememberedSeveral {
  kept: WireKept[];
  refused?: WireRefused[];
}

/** Proofs of what was forgotten, newest first. */
export interface Reports {
  reports: ForgetReport[];
}

/** Things that wait for the user's word. */
export interface Review {
  pending: Origin[];
  contradicted: Contradicted[];
  moved?: MovedMemory[];
  quotes?: string[];
  may_be_one?: Entity[][];
}

/** Producers of a turn. */
export type Role = "user" | "assistant" | "tool" | "system";

/** A row that a run changed. */
export interface RowChange {
  seq: number;
  table: string;
  op: "insert" | "update" | "delete";
  key: (number | string)[];
  memory_id?: string;
}

/** The scratchpad of a session. */
export interface Scratchpad {
  session_id: string;
  current_focus?: string;
  updated_at: string;
  completed: CompletedTask[];
}

/** ScratchpadList, the one touched last first. */
export interface ScratchpadList {
  scratchpads: Scratchpad[];
}

/** A page of sessions. */
export interface SessionPage {
  total: number;
  elsewhere: number;
  sessions: SessionSummary[];
}

/** A session in a line. */
export interface SessionSummary {
  session_id: string;
  client: string;
  first_at: string;
  last_at: string;
  turns: number;
  memories: number;
  opening: string;
  workspace?: string;
}

/** A turn in a session. */
export interface SessionTurn {
  id: string;
  turn_index: number;
  role: string;
  speaker?: string;
  at: string;
  text: string;
  condition?: string;
  metadata?: Record<string, JsonValue>;
}

/** A page of a session's turns. */
export interface SessionTurns {
  session_id: string;
  total: number;
  turns: SessionTurn[];
}

/** A wording, with who drew the conclusion, and from what. */
export interface SourcedWording {
  version: number;
  text: string;
  valid_from: string;
  valid_to?: string;
  quote?: string;
  source: WireSource;
  inferred_by: string;
  model?: string;
  source_kind: string;
  channel: string;
  ingested_at: string;
  event_at?: string;
  event_expression?: string;
}

/** Contents of a tenant, in numbers. */
export interface Statistics {
  tenant: string;
  sessions: number;
  turns: number;
  turn_versions: number;
  memories: Record<string, number>;
  raw_chunks: number;
  raw_bytes: number;
  stored_bytes: number;
  vectors: number;
  backlog: BacklogStatus;
  queue: QueueStatus;
  reading: ReadingPrice;
  today: TokenSpending;
  reading_cost?: number;
  cost_today?: number;
  waiting: number;
  private: PrivateTime[];
  embedder?: string;
}

/** Work of a step and its reasons. */
export interface StepReport {
  name: string;
  state: "waiting" | "planned" | "applied";
  planned: number;
  outcomes: Record<string, number>;
  tokens: number;
  reduced?: string;
  reasons: Record<string, string>;
}

/** Tokens that a tenant's calls to chat models took in some time. */
export interface TokenSpending {
  calls: number;
  input_tokens: number;
  output_tokens: number;
}

/** The turns of a session that an episode sums up, from one place to another. */
export interface TurnRange {
  session_id: string;
  source: string;
  first_index: number;
  last_index: number;
}

/** Rows and files that an undoing brought back. */
export interface UndoResult {
  run_ids: string[];
  restored: number;
  kept: number;
  forgotten: number;
  files: number;
  files_kept: number;
}

/** A line that can't be read. */
export interface UnreadImportLine {
  line: number;
  problem: string;
}

/** States of a memory: whether it holds, and why not. */
export type Validity = "active" | "superseded" | "contradicted" | "archived" | "pending_confirmation";

/** Address to which a tenant's events are sent. Its secret is shown when it is added, only. */
export interface Webhook {
  id: string;
  url: string;
  created_at: string;
  last_event?: JsonValue;
  delivered_at?: string;
  failed_attempts?: number;
  not_before: string;
  last_error?: string;
}

/** All webhooks, oldest first. */
export interface WebhookList {
  webhooks: Webhook[];
}

/** Outcome of a message on trial. */
export interface WebhookTrial {
  webhook: Webhook;
  arrived: boolean;
  fault?: string;
}

/** Evidence for and against a memory, counted. */
export interface Weighing {
  tendency: "up" | "down" | "same";
  reason: "confirmed" | "newer" | "source" | "ground" | "repetition" | "contradiction" | "none";
  said_by: "user" | "agent" | "assistant" | "tool" | "document" | "nobody";
  sessions: number;
  days: number;
  is_confirmed: boolean;
  is_disputed: boolean;
  files?: "unchanged" | "changed" | "gone";
  why?: string;
  why_chinese?: string;
}

/** A file that came with a turn. */
export interface WireAttachment {
  id: string;
  message_id: string;
  name?: string;
  media_type: string;
  size?: number;
  not_kept?: string;
}

/** A recorded call, cited by its turn; `said` has words in the place of a call. */
export interface WireCall {
  id: string;
  at: string;
  session_id: string;
  what: string;
}

/** A first-level result. */
export interface WireConclusion {
  id: string;
  cite: string;
  kind: "memory" | "turn";
  text: string;
  score: number;
  source: WireSource;
  validity?: string;
  version?: number;
  excerpt?: number[];
  total_chars?: number;
  superseded_part?: string;
  contradicts?: string[];
  outdated_by?: string[];
  ground?: WireGround;
  restated_by?: string;
  condition?: string;
  shown_as?: string;
  later_than?: string;
  earlier?: boolean;
  metadata?: Record<string, JsonValue>;
  type?: string;
  status?: string;
}

/** Preview of a forget and the token for it, or its outcome. */
export interface WireForgetAnswer {
  status: "preview" | "forgotten" | "hidden" | "declined" | "unanswered" | "cancelled";
  items?: WireForgetItem[];
  near?: WireForgetItem[];
  counts?: Record<string, number>;
  token?: string;
  command?: string;
  memories?: string[];
  turns_erased?: string[];
  turns_suppressed?: string[];
  notes?: string[];
  report?: WireForgetReport;
}

/** Something that would be erased or suppressed. */
export interface WireForgetItem {
  kind: string;
  id?: string;
  text?: string;
  suppressed?: boolean;
}

/** The proof of a forget, in short. */
export interface WireForgetReport {
  id: string;
  at: string;
  state: string;
  purge_at?: string;
  purged_at?: string;
  items: Record<string, number>;
  removed: Record<string, number>;
  remaining: Record<string, number>;
}

/** How the files stand that a memory speaks of, and how many commits changed them since. */
export interface WireGround {
  state: "unchanged" | "changed" | "gone" | "not checked";
  commits: number;
  moved_to?: string;
}

/** One of several statements that were kept. */
export interface WireKept {
  number: number;
  id: string;
  status: string;
  notes?: string[];
}

/** Turn that was said later than a memory. */
export interface WireLater {
  id: string;
  when: string;
  text: string;
}

/** A memory with what is known of it beside its wording, or a turn. */
export interface WireLookup {
  id: string;
  kind: "memory" | "turn";
  text: string;
  source: WireSource;
  type?: string;
  validity?: string;
  pinned?: boolean;
  verified?: boolean;
  condition?: string;
  metadata?: Record<string, JsonValue>;
  total_chars?: number;
  next_offset?: number;
  tool?: WireTool;
  attachments?: WireAttachment[];
  ground?: WireGround;
  versions?: WireWording[];
  before?: WireNeighbour[];
  after?: WireNeighbour[];
  importance?: number;
  confidence?: number;
  valid_from?: string;
  valid_to?: string;
  expires_at?: string;
  last_day?: string;
  task?: string;
  subject?: string;
  predicate?: string;
  scope?: string;
  project?: string;
  entities?: string[];
  links?: WireMemoryLink[];
  later?: WireLater;
}

/** Link of a memory. */
export interface WireMemoryLink {
  relation: string;
  kind: "memory" | "turn";
  id: string;
  text: string;
}

/** A turn beside a hit, or beside another turn. */
export interface WireNeighbour {
  id: string;
  turn_index: number;
  role: string;
  speaker?: string;
  text: string;
  condition?: string;
}

/** A call that failed, and the one by which it worked afterwards. */
export interface WireOutcome {
  failed: WireCall;
  error: string;
  times?: number;
  between?: WireCall[];
  worked?: WireCall;
  said?: WireCall;
  way?: "same" | "other";
}

/** Proof that turns are on disk. */
export interface WireReceipt {
  receipt_id: string;
  recorded: number;
  already_recorded?: number;
  new_versions?: number;
  forgotten?: number;
  private?: number;
  turn_ids: string[];
  redactions?: Record<string, number>;
  stripped?: number;
  closed_segments?: number;
  notes?: string[];
}

/** A memory or turn, whole. */
export interface WireRecord {
  id: string;
  kind: "memory" | "turn";
  text: string;
  source: WireSource;
  type?: string;
  validity?: string;
  pinned?: boolean;
  verified?: boolean;
  condition?: string;
  metadata?: Record<string, JsonValue>;
  total_chars?: number;
  next_offset?: number;
  tool?: WireTool;
  attachments?: WireAttachment[];
  ground?: WireGround;
  versions?: WireWording[];
  before?: WireNeighbour[];
  after?: WireNeighbour[];
}

/** One of several statements that was not kept. */
export interface WireRefused {
  number: number;
  reason: string;
  turn_id?: string;
}

/** Outcome of a statement, or of several. */
export interface WireRememberResult {
  id?: string;
  status?: string;
  expires_at?: string;
  task?: string;
  redactions?: Record<string, number>;
  notes?: string[];
  kept?: WireKept[];
  refused?: WireRefused[];
  unread?: number;
  next_page?: string;
}

/** A memory after a revision. */
export interface WireRevision {
  id: string;
  text: string;
  validity: string;
  version: number;
  pinned: boolean;
  verified: boolean;
  upvotes: number;
  downvotes: number;
  note?: string;
}

/** A session's notes. */
export interface WireScratchpad {
  session_id: string;
  current_focus?: string;
  completed: string[];
}

/** Source of a hit. */
export interface WireSource {
  at: string;
  session_id?: string;
  message_id?: string;
  turn_id?: string;
  turn_index?: number;
  role?: string;
  speaker?: string;
  client?: string;
  trust?: string;
  workspace?: string;
  account?: string;
}

/** A tool call. */
export interface WireTool {
  name: string;
  args?: JsonValue;
  result?: JsonValue;
  cut?: boolean;
}

/** A second-level result. */
export interface WireTrace {
  id: string;
  cite: string;
  kind: "memory" | "turn";
  text: string;
  score: number;
  source: WireSource;
  validity?: string;
  version?: number;
  excerpt?: number[];
  total_chars?: number;
  superseded_part?: string;
  contradicts?: string[];
  outdated_by?: string[];
  ground?: WireGround;
  restated_by?: string;
  condition?: string;
  shown_as?: string;
  later_than?: string;
  earlier?: boolean;
  metadata?: Record<string, JsonValue>;
  tool?: WireTool;
  before?: WireNeighbour[];
  after?: WireNeighbour[];
}

/** A version of a memory, or of an edited message. */
export interface WireWording {
  version: number;
  text: string;
  valid_from: string;
  valid_to?: string;
  quote?: string;
  source: WireSource;
}

export interface RecordConversationArguments {
  turns?: IngestedTurn[];
  event?: "session_end" | "compaction";
  session_id?: string;
  workspace?: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface ListSessionsArguments {
  since?: string;
  until?: string;
  workspace?: string;
  page?: number;
  limit?: number;
  client?: string;
}

export interface GetSessionArguments {
  session_id: string;
  offset?: number;
  limit?: number;
}

export interface GetTurnArguments {
  turn_id: string;
  offset?: number;
  max_chars?: number;
  context?: number;
}

export interface GetAttachmentArguments {
  turn_id: string;
}

export interface ListScratchpadsArguments {
  limit?: number;
}

export interface GetScratchpadArguments {
  session_id: string;
}

export interface UpdateScratchpadArguments {
  session_id: string;
  current_focus?: string;
  completed?: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface RecallArguments {
  query: string;
  max_tokens?: number;
  session_id?: string;
  short_term_turns?: number;
  workspace?: string;
  task?: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface SearchMemoryArguments {
  /** the question, in any language */
  query?: string;
  /** always 2-4, as they may have been said; also parts, or kinds of a list */
  queries?: string[];
  file?: string;
  error?: string;
  command?: string;
  limit?: number;
  max_tokens?: number;
  /** ISO 8601 */
  since?: string;
  /** ISO 8601 */
  until?: string;
  session_id?: string;
  metadata?: Record<string, string | boolean | number | string[]>;
  include_history?: boolean;
  /** project; * asks all */
  workspace?: string;
  without?: ("text" | "vectors" | "graph" | "recount" | "neighbours" | "alike" | "sessions" | "trust" | "meaning" | "phrases" | "passages" | "speakers" | "roles" | "wishes" | "spread" | "asking" | "length" | "time" | "current" | "boosts" | "rerank" | "diversity")[];
  explain?: boolean;
  types?: ("fact" | "preference" | "rule" | "skill" | "error" | "goal" | "relationship" | "task_outcome" | "tool_experience" | "episode" | "concept")[];
  /** what held then, ISO 8601 */
  as_of?: string;
  /** narrow to it: its memories first, none of other tasks */
  task?: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface SearchConversationTracesArguments {
  /** the question, in any language */
  query?: string;
  /** always 2-4, as they may have been said; also parts, or kinds of a list */
  queries?: string[];
  file?: string;
  error?: string;
  command?: string;
  limit?: number;
  max_tokens?: number;
  /** ISO 8601 */
  since?: string;
  /** ISO 8601 */
  until?: string;
  session_id?: string;
  metadata?: Record<string, string | boolean | number | string[]>;
  include_history?: boolean;
  /** project; * asks all */
  workspace?: string;
  without?: ("text" | "vectors" | "graph" | "recount" | "neighbours" | "alike" | "sessions" | "trust" | "meaning" | "phrases" | "passages" | "speakers" | "roles" | "wishes" | "spread" | "asking" | "length" | "time" | "current" | "boosts" | "rerank" | "diversity")[];
  explain?: boolean;
  /** turns beside a hit */
  context?: number;
  role?: "user" | "assistant" | "tool" | "system";
  /** only calls of this tool */
  tool?: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface ListMemoriesArguments {
  since?: string;
  until?: string;
  workspace?: string;
  page?: number;
  limit?: number;
  types?: ("fact" | "preference" | "rule" | "skill" | "error" | "goal" | "relationship" | "task_outcome" | "tool_experience" | "episode" | "concept")[];
  state?: "active" | "pending" | "archived" | "superseded" | "contradicted" | "any";
  task?: string;
  entity?: string;
  metadata?: Record<string, string | boolean | number | string[]>;
}

export interface RememberArguments {
  content: string;
  type?: "fact" | "preference" | "rule" | "skill" | "error" | "goal" | "relationship" | "task_outcome" | "tool_experience" | "episode";
  importance?: number;
  valid_from?: string;
  until?: string;
  subject?: string;
  task?: string;
  entities?: (string | NamedEntity)[];
  supersedes?: string;
  turn_id?: string;
  quote?: string;
  session_id?: string;
  workspace?: string;
  scope?: "everywhere" | "project";
  again?: boolean;
  metadata?: Record<string, string | boolean | number | string[]>;
  covers?: string[];
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface RememberSeveralArguments {
  memories: BatchedStatement[];
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface GetMemoryArguments {
  memory_id: string;
}

export interface ReviseMemoryArguments {
  memory_id: string;
  action: "correct" | "confirm" | "archive" | "restore" | "everywhere" | "project";
  content?: string;
  valid_from?: string;
  until?: string;
  turn_id?: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface GiveFeedbackArguments {
  node_id: string;
  action: "pin" | "unpin" | "upvote" | "downvote";
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface GetMemoryHistoryArguments {
  memory_id: string;
}

export interface GetOriginArguments {
  node_id: string;
}

export interface LookAroundArguments {
  name: string;
  hops?: number;
  limit?: number;
}

export interface ListReviewArguments {
  limit?: number;
}

export interface ReadCoreArguments {
}

export interface PreviewForgetArguments {
  /** memory or turn ids */
  ids?: string[];
  /** all that names it */
  topic?: string;
  query?: string;
  session_id?: string;
  speaker?: string;
  since?: string;
  until?: string;
  workspace?: string;
  /** erase their turns too */
  include_source?: boolean;
  /** ids to spare */
  keep?: string[];
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface ForgetMemoryArguments {
  /** memory or turn ids */
  ids?: string[];
  /** all that names it */
  topic?: string;
  query?: string;
  session_id?: string;
  speaker?: string;
  since?: string;
  until?: string;
  workspace?: string;
  /** erase their turns too */
  include_source?: boolean;
  /** ids to spare */
  keep?: string[];
  /** of the preview the user agreed to */
  token: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface ListForgetReportsArguments {
  limit?: number;
  before?: string;
}

export interface GetForgetReportArguments {
  report_id: string;
}

export interface TellStatusArguments {
}

export interface ListQueueArguments {
  state?: "waiting" | "done" | "dead" | "dropped";
  limit?: number;
}

export interface ListLogArguments {
  limit?: number;
  since?: string;
}

export interface BeginNightArguments {
  steps?: ("mark_turns" | "quotes" | "refresh_episodes" | "process_queue" | "backfill" | "bind_files" | "merge" | "weigh" | "propose_joins" | "consolidate" | "skills" | "decay" | "review" | "archive_expired" | "delete_expired" | "graph" | "metrics" | "promote" | "daily" | "history" | "core")[];
  since?: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface ListNightsArguments {
  limit?: number;
}

export interface GetNightArguments {
  run_id: string;
  limit?: number;
}

export interface UndoNightArguments {
  run_id: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface ExportMemoryArguments {
  workspace?: string;
  since?: string;
  until?: string;
}

export interface ImportMemoryArguments {
  /** The body, as application/jsonl. */
  lines: BodyInit;
}

export interface ListEventsArguments {
  after?: string;
  follow?: boolean;
}

export interface ListWebhooksArguments {
}

export interface AddWebhookArguments {
  url: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface TestWebhookArguments {
  webhook_id: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

export interface RemoveWebhookArguments {
  webhook_id: string;
  /** Checked against the token's tenant. */
  tenant_id?: string;
}

/** Arguments and answer of each operation. */
export interface Operations {
  record_conversation: { arguments: RecordConversationArguments; answer: WireReceipt };
  list_sessions: { arguments: ListSessionsArguments; answer: SessionPage };
  get_session: { arguments: GetSessionArguments; answer: SessionTurns };
  get_turn: { arguments: GetTurnArguments; answer: WireRecord };
  get_attachment: { arguments: GetAttachmentArguments; answer: AttachmentFile };
  list_scratchpads: { arguments: ListScratchpadsArguments; answer: ScratchpadList };
  get_scratchpad: { arguments: GetScratchpadArguments; answer: WireScratchpad };
  update_scratchpad: { arguments: UpdateScratchpadArguments; answer: WireScratchpad };
  recall: { arguments: RecallArguments; answer: ContextPackage };
  search_memory: { arguments: SearchMemoryArguments; answer: ExplainedConclusions };
  search_conversation_traces: { arguments: SearchConversationTracesArguments; answer: ExplainedTraces };
  list_memories: { arguments: ListMemoriesArguments; answer: MemoryList };
  remember: { arguments: RememberArguments; answer: WireRememberResult };
  remember_several: { arguments: RememberSeveralArguments; answer: RememberedSeveral };
  get_memory: { arguments: GetMemoryArguments; answer: WireLookup };
  revise_memory: { arguments: ReviseMemoryArguments; answer: WireRevision };
  give_feedback: { arguments: GiveFeedbackArguments; answer: WireRevision };
  get_memory_history: { arguments: GetMemoryHistoryArguments; answer: HistoryAnswer };
  get_origin: { arguments: GetOriginArguments; answer: Origin };
  look_around: { arguments: LookAroundArguments; answer: GraphAnswer };
  list_review: { arguments: ListReviewArguments; answer: Review };
  read_core: { arguments: ReadCoreArguments; answer: CoreFiles };
  preview_forget: { arguments: PreviewForgetArguments; answer: WireForgetAnswer };
  forget_memory: { arguments: ForgetMemoryArguments; answer: WireForgetAnswer };
  list_forget_reports: { arguments: ListForgetReportsArguments; answer: Reports };
  get_forget_report: { arguments: GetForgetReportArguments; answer: ForgetReport };
  tell_status: { arguments: TellStatusArguments; answer: Statistics };
  list_queue: { arguments: ListQueueArguments; answer: QueueAnswer };
  list_log: { arguments: ListLogArguments; answer: Log };
  begin_night: { arguments: BeginNightArguments; answer: NightlyRun };
  list_nights: { arguments: ListNightsArguments; answer: Nights };
  get_night: { arguments: GetNightArguments; answer: Night };
  undo_night: { arguments: UndoNightArguments; answer: UndoResult };
  export_memory: { arguments: ExportMemoryArguments; answer: Response };
  import_memory: { arguments: ImportMemoryArguments; answer: Merged };
  list_events: { arguments: ListEventsArguments; answer: Response };
  list_webhooks: { arguments: ListWebhooksArguments; answer: WebhookList };
  add_webhook: { arguments: AddWebhookArguments; answer: AddedWebhook };
  test_webhook: { arguments: TestWebhookArguments; answer: WebhookTrial };
  remove_webhook: { arguments: RemoveWebhookArguments; answer: Webhook };
}

/** One tenant's memory on a server: a method per operation of its REST interface. */
export declare class Memoria extends Caller<Operations> {
  constructor(options: MemoriaOptions);
  /** Keep the turns of a conversation verbatim. They are on disk when it answers. Repeat it with the same `idempotencyKey`. */
  recordConversation(given?: RecordConversationArguments, options?: CallOptions): Promise<WireReceipt>;
  /** List the recorded sessions, the newest first. */
  listSessions(given?: ListSessionsArguments, options?: CallOptions): Promise<SessionPage>;
  /** Return a page of a session's turns, in order. */
  getSession(given: GetSessionArguments, options?: CallOptions): Promise<SessionTurns>;
  /** Return a turn whole, or a page of a long one, with the turns beside it. */
  getTurn(given: GetTurnArguments, options?: CallOptions): Promise<WireRecord>;
  /** Return a file that came with a message, its bytes in base64. */
  getAttachment(given: GetAttachmentArguments, options?: CallOptions): Promise<AttachmentFile>;
  /** List what the latest sessions are working on. */
  listScratchpads(given?: ListScratchpadsArguments, options?: CallOptions): Promise<ScratchpadList>;
  /** Return what a session is working on, and the last five tasks that it finished. */
  getScratchpad(given: GetScratchpadArguments, options?: CallOptions): Promise<WireScratchpad>;
  /** Say what a session is working on, or what is done. */
  updateScratchpad(given: UpdateScratchpadArguments, options?: CallOptions): Promise<WireScratchpad>;
  /** Build what is put before a model, within a budget of tokens: persona, task, last turns, memories and evidence, cited. */
  recall(given: RecallArguments, options?: CallOptions): Promise<ContextPackage>;
  /** Search the memories: conclusions, best first, with their sources. */
  searchMemory(given?: SearchMemoryArguments, options?: CallOptions): Promise<ExplainedConclusions>;
  /** Search the verbatim record, tool calls included. */
  searchConversationTraces(given?: SearchConversationTracesArguments, options?: CallOptions): Promise<ExplainedTraces>;
  /** List memories, the one that became valid last first. */
  listMemories(given?: ListMemoriesArguments, options?: CallOptions): Promise<MemoryList>;
  /** Keep a statement as a memory. What is known already is not kept twice. */
  remember(given: RememberArguments, options?: CallOptions): Promise<WireRememberResult>;
  /** Keep several statements. What of them can't be kept is named, and the others are kept. */
  rememberSeveral(given: RememberSeveralArguments, options?: CallOptions): Promise<RememberedSeveral>;
  /** Return a memory whole: its wordings, when each held, and where each came from. */
  getMemory(given: GetMemoryArguments, options?: CallOptions): Promise<WireLookup>;
  /** Correct, confirm, archive or restore a memory, or set where it is seen. Its former wording stays in its history. */
  reviseMemory(given: ReviseMemoryArguments, options?: CallOptions): Promise<WireRevision>;
  /** Pin a memory, vote it up when it helped, or down when it misled. Repeat it with the same `idempotencyKey`. */
  giveFeedback(given: GiveFeedbackArguments, options?: CallOptions): Promise<WireRevision>;
  /** Return what became of a memory: each wording, what said it again, and what was done to it. */
  getMemoryHistory(given: GetMemoryHistoryArguments, options?: CallOptions): Promise<HistoryAnswer>;
  /** Return a memory with every turn it rests on and every link, or a turn with the memories drawn from it. */
  getOrigin(given: GetOriginArguments, options?: CallOptions): Promise<Origin>;
  /** Return what is known of a person, place or thing, and the memories that speak of it. */
  lookAround(given: LookAroundArguments, options?: CallOptions): Promise<GraphAnswer>;
  /** List what waits for the user's word, which only the user gives, in a shell. */
  listReview(given?: ListReviewArguments, options?: CallOptions): Promise<Review>;
  /** Return the core files: what always matters, who the user is, and how to behave. */
  readCore(given?: ReadCoreArguments, options?: CallOptions): Promise<CoreFiles>;
  /** Show what a forget would erase, with a token for just that. Nothing is forgotten yet. */
  previewForget(given?: PreviewForgetArguments, options?: CallOptions): Promise<WireForgetAnswer>;
  /** Erase for good what a preview has shown: gone everywhere but from backups, and not learnt again. */
  forgetMemory(given: ForgetMemoryArguments, options?: CallOptions): Promise<WireForgetAnswer>;
  /** List the proofs of what was forgotten: what left which index, and no word of it. */
  listForgetReports(given?: ListForgetReportsArguments, options?: CallOptions): Promise<Reports>;
  /** Return the proof of a forget, with a digest of each item. */
  getForgetReport(given: GetForgetReportArguments, options?: CallOptions): Promise<ForgetReport>;
  /** Count what this memory holds, what waits to be read, and what reading has cost. */
  tellStatus(given?: TellStatusArguments, options?: CallOptions): Promise<Statistics>;
  /** List what a chat model has still to read, has read, or could not. */
  listQueue(given?: ListQueueArguments, options?: CallOptions): Promise<QueueAnswer>;
  /** List what was done to memories and turns, when and by whom; it holds no text of theirs. */
  listLog(given?: ListLogArguments, options?: CallOptions): Promise<Log>;
  /** Begin nightly maintenance, or finish the run that was begun: merging duplicates, fading, archiving, core files. It goes on after the answer. */
  beginNight(given?: BeginNightArguments, options?: CallOptions): Promise<NightlyRun>;
  /** List the runs of nightly maintenance, newest first. */
  listNights(given?: ListNightsArguments, options?: CallOptions): Promise<Nights>;
  /** Return a run of nightly maintenance, and what it changed. */
  getNight(given: GetNightArguments, options?: CallOptions): Promise<Night>;
  /** Take back what a run changed, and what all later runs changed. */
  undoNight(given: UndoNightArguments, options?: CallOptions): Promise<UndoResult>;
  /** Export all that this memory holds, a JSON document a line; `/memory/import` and `memoria import` read it. */
  exportMemory(given?: ExportMemoryArguments, options?: CallOptions): Promise<Response>;
  /** Bring in an export. It may be sent again: what is here already is not doubled. */
  importMemory(given: ImportMemoryArguments, options?: CallOptions): Promise<Merged>;
  /** Tell what changes in this memory as it changes, by ids alone, as server-sent events. `Last-Event-ID` goes on where a stream has ended. */
  listEvents(given?: ListEventsArguments, options?: CallOptions): Promise<Response>;
  /** List the addresses to which events are sent, and how far each has come. */
  listWebhooks(given?: ListWebhooksArguments, options?: CallOptions): Promise<WebhookList>;
  /** Send what changes in this memory from now on to an address, signed with a secret that is shown this once. */
  addWebhook(given: AddWebhookArguments, options?: CallOptions): Promise<AddedWebhook>;
  /** Send a message without events to a webhook now. */
  testWebhook(given: TestWebhookArguments, options?: CallOptions): Promise<WebhookTrial>;
  /** Send no more events to a webhook. */
  removeWebhook(given: RemoveWebhookArguments, options?: CallOptions): Promise<Webhook>;
}
