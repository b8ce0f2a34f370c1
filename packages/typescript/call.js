/** How an operation is called: method, path, and where its arguments go. */

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** What went wrong, and what to do about it (RFC 9457). */
export class MemoriaProblem extends Error {
  /**
   * @param {number} status of the answer; 0 if there was none
   * @param {Record<string, unknown>} problem the answer's document
   * @param {unknown} [cause] why there was no answer
   */
  constructor(status, problem, cause) {
    super(
      String(problem.detail ?? problem.title ?? `The server answered with status ${status}.`),
      cause === undefined ? undefined : { cause },
    );
    this.name = "MemoriaProblem";
    this.status = status;
    this.kind = typeof problem.kind === "string" ? problem.kind : undefined;
    this.problem = problem;
  }
}

/** Calls operations of one server with one token, which no property and no text shows. */
export class Caller {
  #url;
  #token;
  #fetch;
  #timeoutMs;
  #operations;
  #client;

  constructor({ url, token, fetch = globalThis.fetch, timeoutMs = 60_000 }, operations, client) {
    this.#url = checkUrl(url);
    if (typeof token !== "string" || !/^[!-~]+$/.test(token)) {
      throw new TypeError("token: it is missing, or holds a character that no token has.");
    }
    this.#token = token;
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
    this.#operations = operations;
    this.#client = client;
  }

  /** Calls an operation; returns its answer with the status and the ETag. */
  async request(name, given = {}, options = {}) {
    const operation = this.#operations[name];
    if (operation === undefined) throw new TypeError(`${name}: there is no such operation.`);
    const answer = await this.#send(operation, { ...given }, options);
    const etag = answer.headers.get("etag") ?? undefined;
    if (answer.status === 304) return { status: 304, etag, body: undefined };
    if (!answer.ok) throw new MemoriaProblem(answer.status, await readObject(answer));
    const body = operation.answers === undefined ? await readJson(answer) : answer;
    return { status: answer.status, etag, body };
  }

  /** Calls an operation; returns its answer alone. */
  async body(name, given, options) {
    return (await this.request(name, given, options)).body;
  }

  async #send(operation, given, options) {
    const address = this.#url + writePath(operation.path, given);
    const headers = {
      authorization: `Bearer ${this.#token}`,
      "user-agent": this.#client,
      ...(options.idempotencyKey && { "idempotency-key": options.idempotencyKey }),
      ...(options.ifMatch && { "if-match": options.ifMatch }),
      ...(options.ifNoneMatch && { "if-none-match": options.ifNoneMatch }),
    };
    const request = { method: operation.method, headers, redirect: "error" };
    let query = "";
    if (operation.method === "GET") {
      query = writeQuery(given);
    } else {
      headers["content-type"] = operation.takes ?? "application/json";
      request.body = operation.takes === undefined ? JSON.stringify(given) : given.lines;
    }
    const limits = options.signal ? [options.signal] : [];
    if (operation.takes !== undefined) {
      request.duplex = "half"; // as fetch wants it of a body that is a stream
    } else if (operation.answers === undefined) {
      // An export or an import takes as long as it takes.
      limits.push(AbortSignal.timeout(this.#timeoutMs));
    }
    if (limits.length > 0) request.signal = AbortSignal.any(limits);
    try {
      return await this.#fetch(address + query, request);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      const then = operation.reads
        ? "Nothing was changed: ask again."
        : "Whether a change was made is not known: look before you make it again.";
      const detail = `${this.#url} gave no answer. Check the address, and that the server runs. ${then}`;
      throw new MemoriaProblem(0, { detail }, error);
    }
  }
}

function checkUrl(given) {
  const url = URL.parse(given);
  if (!/^https?:$/.test(url?.protocol ?? "")) {
    throw new TypeError("url: it is no address of a server, such as https://memory.example.com.");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("url: leave out what stands before an @ and after a ? or #.");
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(
      "url: the token and the memory would be sent in clear text. Use https; http is for this " +
        "machine alone.",
    );
  }
  return url.href.replace(/\/+$/, "").replace(/\/+mcp$/, "");
}

/** Writes the arguments of a path into it, and takes them out of those given. */
function writePath(path, given) {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = String(given[name] ?? "");
    delete given[name];
    if (value === "" || value === "." || value === "..") {
      throw new TypeError(`${name}: it is missing, or dots alone. Nothing was done.`);
    }
    return encodeURIComponent(value);
  });
}

function writeQuery(given) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      query.append(name, typeof one === "object" ? JSON.stringify(one) : String(one));
    }
  }
  return query.size > 0 ? `?${query}` : "";
}

async function readJson(answer) {
  try {
    return await answer.json();
  } catch (error) {
    const detail = "The answer is no JSON. Check that the address is that of a Memoria server.";
    throw new MemoriaProblem(answer.status, { detail }, error);
  }
}

/** Reads a problem; an answer that is none, as of a proxy, has its status alone. */
async function readObject(answer) {
  const text = await answer.text();
  try {
    const found = JSON.parse(text);
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}
