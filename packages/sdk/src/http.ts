import createPathClient, {
  type Middleware,
  type Client as PathClient,
  defaultBodySerializer,
} from "openapi-fetch";
import { InvalidArgumentError } from "./errors/local-errors.js";
import type { paths } from "./generated/schema.js";
import type { RequestOptions } from "./request/call.js";
import type { ClientSettings } from "./request/context.js";
import { assertUnchecked } from "./request/assert-unchecked.js";
import { encodeArgument } from "./request/encoding-error.js";
import { optionRules } from "./checks/option-rules.js";
import { fillPath } from "./request/path.js";
import { rawResponse } from "./request/raw-response.js";
import { sendEncoded } from "./request/request.js";
import { maskInspection } from "#masked-inspection";
import { assertOptionNames } from "#all-type-checks";

/** The parts of a call's `init` that the SDK handles itself. */
interface CallInit extends Omit<RequestOptions, "headers" | "middleware"> {
  params?: object;
  middleware?: Middleware[];
}

/** The SDK's own options, the options of `openapi-fetch`, and the properties of a `Request`, which are ignored. */
const allowedInitNames: readonly string[] = [
  ...Object.keys(optionRules["a call"]),
  "params body",
  "baseUrl fetch Request parseAs querySerializer bodySerializer pathSerializer",
  "cache credentials integrity keepalive method mode priority redirect referrer referrerPolicy window duplex dispatcher",
].flatMap((names) => names.split(" "));

/** Typed paths instead of methods: `client.http.GET("/v1/projects/{id}", { params: { path: { id } } })`. */
export interface HttpClient extends PathClient<paths> {}

/**
 * Creates an openapi-fetch client that sends with the SDK's credential, transport, retries and deadline. Its methods return
 * `{ data, error, response }`, and throw only when no complete response arrived.
 */
export const createHttp = (settings: ClientSettings): HttpClient => {
  const installedMiddleware: Middleware[] = [];
  const http = createPathClient<paths>({
    baseUrl: settings.baseUrl,
    pathSerializer: (path, params) => fillPath(path, params, encodeArgument),
    bodySerializer: serializeBody,
  });
  const request = async (method: string, path: string, init: CallInit = {}): Promise<unknown> => {
    assertOptionNames(init, "a call by path", allowedInitNames, () => InvalidArgumentError);
    const options = selectRequestOptions(init);
    assertUnchecked(settings.unchecked, { method: "GET", path }, options);
    // The library must not see the caller's signal: a `Request` that has it leaves a listener on it.
    const { signal: _, middleware = [], ...fetchInit } = init;
    const call = {
      fetch: (encodedRequest: Request) => fetchWithSettings(settings, encodedRequest, path, options),
      ...fetchInit,
      params: { path: {}, ...init.params },
      middleware: [...installedMiddleware, ...middleware],
    };
    // The types of `HttpClient` have checked method, path and init together.
    const result = await http.request(method as never, path as never, call as never);
    maskInspection(result.data);
    return result;
  };
  const client: Record<string, unknown> = {
    request,
    use: (...addedMiddleware: Middleware[]) => void installedMiddleware.push(...addedMiddleware),
    eject: (...removedMiddleware: Middleware[]) =>
      void installedMiddleware.splice(
        0,
        installedMiddleware.length,
        ...installedMiddleware.filter((middleware) => !removedMiddleware.includes(middleware)),
      ),
  };
  for (const method of ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]) {
    client[method] = request.bind(undefined, method);
  }
  // The client has every method of the library's client. Each calls `request` with its arguments.
  return client as unknown as HttpClient;
};

/** Returns the options of a call by path that the SDK handles. The library handles headers and middleware. */
const selectRequestOptions = (init: CallInit): RequestOptions =>
  Object.fromEntries(
    Object.entries(init).filter(
      ([name]) => Object.hasOwn(optionRules["a call"], name) && name !== "headers" && name !== "middleware",
    ),
  );

const serializeBody = (body: unknown): string => {
  try {
    return defaultBodySerializer(body);
  } catch (cause) {
    throw new InvalidArgumentError("body", "cannot be serialized as JSON", { cause });
  }
};

/** Makes a round trip for the library's `Request`, with the interface of `fetch`. */
const fetchWithSettings = async (
  clientSettings: ClientSettings,
  request: Request,
  path: string,
  options: RequestOptions,
): Promise<Response> => {
  const { method, url } = request;
  const message = {
    method,
    path,
    url,
    headers: {
      accept: "application/json",
      ...clientSettings.headers,
      ...Object.fromEntries(request.headers),
    },
    body: (await request.text()) || undefined,
  };
  return rawResponse(await sendEncoded(clientSettings, message, options));
};
