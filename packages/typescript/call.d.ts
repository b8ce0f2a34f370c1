/** What went wrong, and what to do about it (RFC 9457). */
export declare class MemoriaProblem extends Error {
  constructor(status: number, problem: Record<string, unknown>, cause?: unknown);
  /** Of the answer; 0 if there was none. */
  readonly status: number;
  /** Kind of error, such as `not_found`. */
  readonly kind: string | undefined;
  /** The answer's whole document. */
  readonly problem: Record<string, unknown>;
}

/** Where the server is, and how it is called. */
export interface MemoriaOptions {
  /** Such as `https://memory.example.com`; http for this machine alone. */
  url: string;
  /** What `memoria token create` has printed. */
  token: string;
  /** In place of the global one. */
  fetch?: typeof fetch;
  /** Longest wait for a JSON answer; 60,000 by default. */
  timeoutMs?: number;
}

/** Of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The same for each repetition of one call, which is then done once. */
  idempotencyKey?: string;
  /** ETag of what may be changed; if it is another by now, status 412. */
  ifMatch?: string;
}

/** Of one call whose answer may be known. */
export interface RequestOptions extends CallOptions {
  /** ETag of what is known; if it is the same still, status 304 and no body. */
  ifNoneMatch?: string;
}

/** An answer with its status and its ETag. */
export interface Answer<Body> {
  status: number;
  etag: string | undefined;
  /** Undefined with status 304. */
  body: Body | undefined;
}

/** Calls operations of one server with one token. */
export declare class Caller<Operations> {
  /** Calls an operation by its name in the OpenAPI document. */
  request<Name extends keyof Operations>(
    name: Name,
    ...given: Operations[Name] extends { arguments: infer Given }
      ? object extends Given
        ? [given?: Given, options?: RequestOptions]
        : [given: Given, options?: RequestOptions]
      : never
  ): Promise<Answer<Operations[Name] extends { answer: infer Body } ? Body : never>>;
}
