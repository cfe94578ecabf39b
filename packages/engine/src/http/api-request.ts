import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyPolicy } from "../request/engine.js";
import { isPromiseLike } from "../values/awaitable.js";
import { type EngineRequest, type EngineResponse, encodeFirstHalf } from "../values/message.js";
import { readBytes } from "./read-bytes.js";
import type { Server as EngineServer } from "../server/server.js";

/** Passes a request to the engine, with its body, and sends the response. */
export const handleApiRequest = (
  engine: EngineServer,
  requestConditions: Pick<EngineRequest, "offLoopback" | "cut">,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const { method = "GET", headers } = request;
  const path = toOriginForm(request.url ?? "/");
  const respond = (body?: Uint8Array, isBodyTooLarge = false): void => {
    const engineResponse = engine.handle({
      method,
      path,
      headers,
      body,
      bodyTooLarge: isBodyTooLarge,
      ...requestConditions,
    });
    if (isPromiseLike(engineResponse))
      void engineResponse.then((settled) => sendEngineResponse(request, response, settled));
    else sendEngineResponse(request, response, engineResponse);
  };
  const { limit: maxBytes, discarded: isDiscarded } = hasBody(request)
    ? engine.bodyPolicy(method, path)
    : ignoredBodyPolicy;
  if (maxBytes === 0) {
    respond();
    return;
  }
  readBytes(request, maxBytes, !isDiscarded).then(
    (bytes) => (bytes === "too-large" ? respond(undefined, true) : respond(bytes)),
    () => response.destroy(),
  );
};

/**
 * Removes the origin from a request target in absolute form, which proxies send. See
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2.
 */
const toOriginForm = (target: string): string => {
  if (target.startsWith("/") || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
};

export const sendEngineResponse = (
  request: IncomingMessage,
  response: ServerResponse,
  engineResponse: EngineResponse,
): void => {
  if (engineResponse.dropped === "unsent") {
    request.socket.destroy();
    return;
  }
  const { status, headers, body = "" } = engineResponse;
  const bytes = encodeLongBody(body);
  const length = bytes?.length ?? Buffer.byteLength(body);
  if (status !== 204) headers["content-length"] = String(length);
  response.writeHead(status, headers);
  if (engineResponse.dropped) {
    response.write(encodeFirstHalf(body), () => request.socket.destroy());
    return;
  }
  if (bytes) response.end(bytes);
  // ASCII takes less time to encode as Latin-1.
  else response.end(body, length === body.length ? "latin1" : "utf8");
  if (hasBody(request) && !request.complete) destroyLater(request);
};

/**
 * From `minCharacters` on, a body is sent separately from the headers, which takes less time than copying it. Up to `maxCharacters`, its
 * bytes are cached.
 */
const longBody = { minCharacters: 8 * 1024, maxCharacters: 1024 * 1024 };

/** The last long body and its bytes. For a program that polls a list, the engine returns the same string again. */
let lastLongBody: { readonly text: string; readonly bytes: Buffer } | undefined;

/** Returns the bytes of a long body; undefined for a short one. */
const encodeLongBody = (body: string): Buffer | undefined => {
  if (body.length < longBody.minCharacters) return undefined;
  if (lastLongBody?.text === body) return lastLongBody.bytes;
  const bytes = Buffer.from(body);
  if (body.length <= longBody.maxCharacters) lastLongBody = { text: body, bytes };
  return bytes;
};

const ignoredBodyPolicy: BodyPolicy = { limit: 0, discarded: false };

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Milliseconds for which a client may keep sending a body that is not read. Closing the connection earlier
 * could prevent the client from reading the response.
 */
export const lingerMs = 2_000;

const destroyLater = (request: IncomingMessage): void => {
  const destroyTimer = setTimeout(() => request.destroy(), lingerMs);
  destroyTimer.unref();
  request.on("close", () => clearTimeout(destroyTimer));
  request.resume();
};
