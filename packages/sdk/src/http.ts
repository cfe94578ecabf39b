import createPathClient, {
  type Middleware,
  type Client as PathClient,
  defaultBodySerializer,
} from "openapi-fetch";
import { InvalidArgumentError } from "./errors/local-errors.js";
import type { paths } from "./generated/schema.js";
import type { RequestOptions } from "./request/call.js";
import { fillPath } from "./request/path.js";
import { exchange, follow } from "./request/request.js";
import { type Settings, settingsOf } from "./request/settings.js";

/** The parts of a call's `init` that the SDK sees to itself. */
interface Init extends Omit<RequestOptions, "headers" | "middleware"> {
  params?: object;
  middleware?: Middleware[];
}

/** Typed paths instead of methods: `client.http.GET("/v1/projects/{id}", { params: { path: { id } } })`. */
export interface HttpClient extends PathClient<paths> {}

/**
 * openapi-fetch over the SDK's own request path: the same credential, transport and deadline. It answers
 * `{ data, error, response }`, and throws only when no whole answer came.
 */
export const createHttp = (settings: Settings): HttpClient => {
  const own: Middleware[] = [];
  const http = createPathClient<paths>({
    baseUrl: settings.baseUrl,
    // The paths' types admit strings only; anything else is refused there.
    pathSerializer: (path, params) => fillPath(path, params as Record<string, string>),
    bodySerializer: writeBody,
  });
  const request = async (method: string, path: string, init: Init = {}): Promise<unknown> => {
    // A `Request` that is given the caller's signal leaves a listener on it, so it is not.
    const { signal, middleware = [], ...rest } = init;
    const call = {
      fetch: (written: Request) => carry(settings, written, path, { ...rest, signal }),
      ...rest,
      params: { path: {}, ...init.params },
      middleware: [...own, ...middleware],
    };
    // The types of `HttpClient` have checked method, path and init together.
    return http.request(method as never, path as never, call as never);
  };
  const client: Record<string, unknown> = {
    request,
    use: (...added: Middleware[]) => void own.push(...added),
    eject: (...gone: Middleware[]) =>
      void own.splice(0, own.length, ...own.filter((each) => !gone.includes(each))),
  };
  for (const method of ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]) {
    client[method] = request.bind(undefined, method);
  }
  // It has every method of the library's client, each handing on what it is given.
  return client as unknown as HttpClient;
};

const writeBody = (body: unknown): string => {
  try {
    return defaultBodySerializer(body);
  } catch (cause) {
    throw new InvalidArgumentError("body", "cannot be written as JSON", { cause });
  }
};

/** Sends the library's `Request` through the request path, and answers as `fetch` would. */
const carry = async (
  client: Settings,
  request: Request,
  path: string,
  options: RequestOptions,
): Promise<Response> => {
  const { method, url } = request;
  const message = {
    method,
    path,
    url,
    headers: { accept: "application/json", ...client.headers, ...Object.fromEntries(request.headers) },
    body: (await request.text()) || undefined,
  };
  const { status, headers, body } = await follow(message, (attempts) =>
    exchange(settingsOf(client, options), message, options.signal, attempts),
  );
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
};
