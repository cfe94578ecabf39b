import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ControlError } from "../../control/control-error.js";
import * as controlErrors from "../../control/control-errors.js";
import { type Fields, parseFields } from "./fields.js";
import type { Server } from "../../server/server.js";
import { runControlRoute } from "./routes.js";
import { DatabaseUnavailableError, OutcomeUnknownError } from "../../context/database-engine.js";
import { errors } from "../../values/errors.js";
import { RequestError } from "../../values/request-error.js";
import { proofPath, createSecretProof } from "./control-proof.js";
import { hasContentEncoding } from "../../values/message.js";
import { isForeignOrigin } from "../host-guard.js";
import { ClientDisconnectedError, readBytes } from "../read-bytes.js";
import { InvalidArgumentError } from "../../values/invalid-argument-error.js";
import { StateChangedError } from "../../values/state-changed-error.js";

/** Names the header that carries the control secret. */
export const controlSecretHeader = "x-mgmt-control-secret";

/** Allows for snapshots, the largest bodies that clients send to the control surface. */
const maxBodyBytes = 256 * 1024 * 1024;

/** Returns whether a path, without its query, belongs to the control surface. */
export const isControlPath = (path: string): boolean => path === "/_control" || path.startsWith("/_control/");

/**
 * Responds to a request to the control surface. The request must carry the control secret in a header, except
 * for a proof that the server knows it, and requests from pages of other origins are rejected. Without a configured secret, every request gets a 404.
 */
export const handleControlRequest = async (
  server: Server,
  { secret, baseUrl, closeSignal }: { secret: string | undefined; baseUrl: string; closeSignal: AbortSignal },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  try {
    if (secret === undefined) throw controlErrors.controlDisabled();
    if (isForeignOrigin(request)) throw controlErrors.foreignOrigin();
    if (path === proofPath && request.method === "GET") {
      sendJson(response, 200, createSecretProof(secret, baseUrl, query));
      return;
    }
    if (!isSameSecret(request.headers[controlSecretHeader], secret)) {
      throw controlErrors.wrongSecret(controlSecretHeader);
    }
    if (path === "/_control/requests" && request.headers.accept?.includes("text/event-stream")) {
      streamRequests(server, response, closeSignal);
      return;
    }
    const responseBody = await runControlRoute(
      server,
      request.method ?? "GET",
      path,
      await readBody(request),
    );
    if (responseBody === undefined) sendJson(response, 204);
    else sendJson(response, 200, responseBody);
  } catch (error) {
    if (error instanceof ClientDisconnectedError) response.destroy();
    else sendError(response, toResponseError(error, server));
  }
};

const readBody = async (request: IncomingMessage): Promise<Fields> => {
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes === "too-large") throw controlErrors.bodyTooLarge(maxBodyBytes);
  if (bytes && hasContentEncoding(request.headers)) throw controlErrors.bodyEncoded();
  return parseFields(bytes);
};

/**
 * Compares SHA-256 digests in constant time, so that timing reveals neither the length nor the content of the
 * secret.
 */
const isSameSecret = (candidate: string | string[] | undefined, secret: string): boolean => {
  if (typeof candidate !== "string") return false;
  const computeDigest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(computeDigest(candidate), computeDigest(secret));
};

/** Limits the bytes buffered for a client that does not read. Above the limit, the connection is closed. */
const maxBufferedBytes = 4 * 1024 * 1024;

/**
 * Streams the logged requests so far, then each new one, as server-sent events, until the client disconnects
 * or the server closes.
 */
const streamRequests = (server: Server, response: ServerResponse, closeSignal: AbortSignal): void => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const writeEvent = (entry: object): void => {
    response.write(`data: ${JSON.stringify(entry)}\n\n`);
    if (response.writableLength > maxBufferedBytes) response.destroy();
  };
  response.write(":\n\n");
  for (const entry of server.requests) writeEvent(entry);
  const endStream = (): void => void response.end();
  const stopFollowing = server.followRequests(writeEvent);
  closeSignal.addEventListener("abort", endStream);
  response.on("close", () => {
    stopFollowing();
    closeSignal.removeEventListener("abort", endStream);
  });
};

const sendJson = (response: ServerResponse, status: number, content?: unknown): void => {
  const body = content === undefined ? "" : JSON.stringify(content);
  response.writeHead(status, {
    "cache-control": "no-store",
    ...(content !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
  });
  response.end(body);
};

/** Returns the error to respond with. Reports a defect, and hides its message. */
const toResponseError = (error: unknown, server: Server): ControlError | RequestError => {
  if (error instanceof ControlError || error instanceof RequestError) return error;
  if (error instanceof InvalidArgumentError) return controlErrors.invalidArgument(error.message);
  if (error instanceof OutcomeUnknownError) return errors["internal:unavailable/outcome_unknown"]();
  if (error instanceof DatabaseUnavailableError || error instanceof StateChangedError)
    return errors.unavailable();
  server.reportDefect(error);
  return errors["internal:error"]();
};

const sendError = (response: ServerResponse, error: ControlError | RequestError): void => {
  const { status, message, hint } = error;
  if (error instanceof ControlError) {
    sendJson(response, status, { error: { code: "control:refused", message, hint } });
    return;
  }
  const { code, extra, headers } = error;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendJson(response, status, { error: { code, message, ...(hint !== undefined && { hint }), ...extra } });
};
