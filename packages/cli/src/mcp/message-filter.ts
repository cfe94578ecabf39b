import { Transform, type TransformCallback } from "node:stream";
import { isJSONRPCRequest, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isObject } from "../json/json-path.js";

/** Maximum size of one message, in bytes. The transport closes the connection at 10 MiB. */
const defaultMaxBytes = 8 * 2 ** 20;
/** How much of the start and the end of a message that is too long is searched for its id. */
const searchedBytes = 1_024;

/** The answer to a message that is not forwarded. */
interface Rejection {
  /** Null if the message has none that can be repeated. */
  readonly id: string | number | null;
  readonly code: ProtocolErrorCode;
  readonly message: string;
}

/**
 * Forwards the lines that are valid messages, and answers the others with an error. The transport of the SDK ignores an invalid message, so
 * a client would wait forever for the answer to one. See https://www.jsonrpc.org/specification#error_object and
 * https://modelcontextprotocol.io/specification/2025-11-25/basic, which has neither batches nor ids that are null.
 */
export class MessageFilter extends Transform {
  #line: Buffer[] = [];
  #length = 0;

  /**
   * @param respond writes a line to the client.
   * @param maxBytes of one message. Default: 8 MiB.
   */
  constructor(
    private readonly respond: (line: string) => void,
    private readonly maxBytes = defaultMaxBytes,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      this.#append(rest.subarray(0, end));
      this.#handleLine();
      rest = rest.subarray(end + 1);
    }
    this.#append(rest);
    done();
  }

  #append(part: Buffer): void {
    this.#length += part.length;
    this.#line.push(part);
    if (this.#length <= this.maxBytes) return;
    // The message is too long. Only its beginning and its end are kept.
    const whole = Buffer.concat(this.#line);
    this.#line = [
      whole.subarray(0, searchedBytes),
      whole.subarray(searchedBytes).subarray(-searchedBytes),
    ].map((end) => Buffer.from(end));
  }

  #handleLine(): void {
    // `trim` also removes a byte order mark, which some programs on Windows write first.
    const line = Buffer.concat(this.#line).toString("utf8").trim();
    const isTooLong = this.#length > this.maxBytes;
    this.#line = [];
    this.#length = 0;
    if (line === "") return;
    const checked = isTooLong ? { rejection: this.#rejectLongLine(line) } : checkLine(line);
    if (checked.forwarded !== undefined) this.push(`${checked.forwarded}\n`);
    if (!checked.rejection) return;
    const { id, ...error } = checked.rejection;
    this.respond(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  }

  #rejectLongLine(line: string): Rejection {
    const [, atStart] =
      /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,200}")/.exec(line) ?? [];
    const [, atEnd] = /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,200}")\s*\}$/.exec(line) ?? [];
    const idText = atStart ?? atEnd;
    return createRejection(
      idText === undefined ? null : readId(JSON.parse(idText)),
      ProtocolErrorCode.InvalidRequest,
      `A message can have at most ${String(this.maxBytes)} bytes`,
    );
  }
}

interface CheckedLine {
  readonly forwarded?: string;
  readonly rejection?: Rejection;
}

const checkLine = (line: string): CheckedLine => {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { rejection: createRejection(null, ProtocolErrorCode.ParseError, "The line is not JSON") };
  }
  if (Array.isArray(message)) {
    const problem = "A batch is not a message of this protocol. Send each message on a line of its own";
    return { rejection: createRejection(null, ProtocolErrorCode.InvalidRequest, problem) };
  }
  if (!isObject(message)) {
    const problem = "A message must be an object";
    return { rejection: createRejection(null, ProtocolErrorCode.InvalidRequest, problem) };
  }
  // A message without a method is a response, which gets no answer.
  if (!("method" in message) && ("result" in message || "error" in message)) return { forwarded: line };
  // Some clients write null for parameters that they leave out.
  const { params, ...others } = message;
  const request: Readonly<Record<string, unknown>> = params === null ? others : message;
  const rejection = checkRequest(request);
  return rejection ? { rejection } : { forwarded: params === null ? JSON.stringify(others) : line };
};

/** Returns the error for a message that is not a valid request or notification, or undefined if it is one. */
const checkRequest = (request: Readonly<Record<string, unknown>>): Rejection | undefined => {
  const id = readId(request["id"]);
  const { InvalidRequest, InvalidParams } = ProtocolErrorCode;
  if (typeof request["method"] !== "string")
    return createRejection(id, InvalidRequest, "method must be a string");
  if (request["jsonrpc"] !== "2.0") return createRejection(id, InvalidRequest, 'jsonrpc must be "2.0"');
  // A notification gets no answer.
  if (!("id" in request)) return undefined;
  if (id === null) return createRejection(id, InvalidRequest, "id must be a string or an integer");
  if ("params" in request && !isObject(request["params"]))
    return createRejection(id, InvalidParams, "params must be an object");
  if (isJSONRPCRequest(request)) return undefined;
  const isFaultOfParams = isJSONRPCRequest({ ...request, params: {} });
  return isFaultOfParams
    ? createRejection(id, InvalidParams, "params._meta is not valid")
    : createRejection(id, InvalidRequest, "A request has only jsonrpc, id, method, and params");
};

const readId = (id: unknown): Rejection["id"] =>
  typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;

const createRejection = (id: Rejection["id"], code: ProtocolErrorCode, message: string): Rejection => ({
  id,
  code,
  message: `${message}.`,
});
