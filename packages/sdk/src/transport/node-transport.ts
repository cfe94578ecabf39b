// Import the whole modules: mocks and tracers replace `http.request`, which a named import would bypass.
import http from "node:http";
import type https from "node:https";
import { Readable } from "node:stream";
import { urlToHttpOptions } from "node:url";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { throwNotLoaded } from "../errors/not-loaded.js";
import { ResponseTooLargeError, defaultMaxResponseBytes } from "../errors/response-too-large-error.js";
import { validateTimeout } from "../deadlines/deadline.js";
import { createAgent } from "./node-agent.js";
import { assertProxyUrl, proxyFor } from "./proxy.js";
import { ProxyError } from "./proxy-error.js";
import type { Transport, TransportRequest, TransportResponse } from "./transport.js";
import { type LightSignal, acceptLightSignals } from "#limit";
import { assertOptions } from "#type-checks";

/** Options of `nodeTransport`. */
export interface NodeTransportOptions {
  /** Maximum number of concurrent connections per origin. Default: unlimited. */
  maxSockets?: number | undefined;
  /** CA certificates to trust for `https:`, in PEM. Replaces Node's default list, including `NODE_EXTRA_CA_CERTS`. */
  ca?: string | Buffer | (string | Buffer)[] | undefined;
  /**
   * URL of an HTTP proxy for all requests, or `false` for none. Default: the environment variables `HTTPS_PROXY`,
   * `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case, with direct connections to loopback addresses.
   */
  proxy?: string | false | undefined;
  /**
   * Maximum size of a response body, in bytes. A call that gets a larger one fails with `ResponseTooLargeError` and is not
   * retried. Default: 64 MiB.
   */
  maxResponseBytes?: number | undefined;
}

/** A transport that can close its connections. */
export interface NodeTransport extends Transport {
  /** Closes all connections. Calls in progress fail; later calls open new connections. */
  close(): void;
}

/**
 * Creates a transport that sends with `node:http` and `node:https` and reuses connections between calls. On Node 20, it
 * is ready about 90 ms sooner than the first global `fetch` of a process. Idle connections do not keep the process
 * alive.
 * Throws `InvalidArgumentError` if `proxy` is not an HTTP URL, if `maxSockets` or `maxResponseBytes` is not a number above 0,
 * or for an option that does not exist or has another type.
 */
export const nodeTransport = (options: NodeTransportOptions = {}): NodeTransport => {
  assertOptions(options, "nodeTransport", () => InvalidArgumentError);
  const { proxy, ca, maxSockets, maxResponseBytes = defaultMaxResponseBytes } = options;
  if (proxy) assertProxyUrl(proxy);
  // With a limit of 0 or less, every call would wait until its deadline.
  validateTimeout(maxSockets ?? Infinity, "maxSockets");
  validateTimeout(maxResponseBytes, "maxResponseBytes");
  const settings = {
    keepAlive: true,
    ...(maxSockets === undefined ? {} : { maxSockets }),
    ...(ca === undefined ? {} : { ca }),
  };
  const origins = new Map<string, Origin | Promise<Origin>>();
  const openOrigin = async (origin: string, url: string): Promise<Origin> => {
    const { protocol, hostname, port } = urlToHttpOptions(new URL(origin));
    const proxyUrl = await proxyFor(url, proxy);
    const agent = await createAgent(url, proxyUrl, settings);
    // Loaded on demand: it adds 4 ms to the startup of a process.
    const module = url.startsWith("https:") ? (await import("node:https")).default : http;
    const newOrigin = {
      pathOffset: origin.length,
      proxy: proxyUrl,
      options: { protocol, hostname, port, agent, ca },
      module,
    };
    origins.set(origin, newOrigin);
    return newOrigin;
  };
  const resolveOrigin = (url: string): Origin | Promise<Origin> => {
    const [origin = url] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
    const knownOrigin = origins.get(origin);
    if (knownOrigin) return knownOrigin;
    const pendingOrigin = openOrigin(origin, url);
    origins.set(origin, pendingOrigin);
    // The next call tries again.
    pendingOrigin.catch(() => origins.delete(origin));
    return pendingOrigin;
  };
  const send = (message: TransportRequest): Promise<TransportResponse> => {
    const origin = resolveOrigin(message.url);
    // Without `await`, which would make three promises more.
    return "then" in origin
      ? origin.then((openedOrigin) => exchangeMessages(message, openedOrigin, maxResponseBytes))
      : exchangeMessages(message, origin, maxResponseBytes);
  };
  acceptLightSignals(send);
  return {
    send,
    close() {
      for (const origin of origins.values())
        void Promise.resolve(origin).then(
          ({ options }) => options.agent.destroy(),
          () => undefined,
        );
    },
  };
};

/** Connection settings shared by all requests to one scheme, host and port. */
interface Origin {
  /** Index in a URL at which its path starts. */
  pathOffset: number;
  /** URL of the proxy, which may contain a password. Empty for a direct connection. */
  proxy: string;
  options: https.RequestOptions & { agent: http.Agent };
  module: Pick<typeof https, "request">;
}

/** Returns whether the status is of a successful response that has a body. */
const hasBody = (status: number): boolean =>
  status >= 200 && status < 300 && status !== 204 && status !== 205;

const flattenHeaders = ({ headers }: http.IncomingMessage): Record<string, string> => {
  const flattened: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flattened[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flattened;
};

/** Returns whether a response has a body with a content coding. The transport requests none, but a proxy may still use one. */
const hasEncodedBody = (method: string, { statusCode = 0, headers }: http.IncomingMessage): boolean =>
  headers["content-encoding"] !== undefined &&
  headers["content-length"] !== "0" &&
  method !== "HEAD" &&
  ![204, 304].includes(statusCode);

/** Returns a response whose body has been read. Copies the headers only when they are read, because most calls never read them. */
const toTransportResponse = (incoming: http.IncomingMessage, chunks: Buffer[]): TransportResponse => {
  const [firstChunk] = chunks;
  const bodyText = (chunks.length === 1 && firstChunk ? firstChunk : Buffer.concat(chunks)).toString("utf8");
  let headers: Record<string, string> | undefined;
  return {
    status: incoming.statusCode ?? 0,
    get headers() {
      return (headers ??= flattenHeaders(incoming));
    },
    // `fetch` leaves out a byte order mark, too.
    body: bodyText.startsWith("\uFEFF") ? bodyText.slice(1) : bodyText,
  };
};

const exchangeMessages = (
  { method, url, headers, body, signal, reading }: Omit<TransportRequest, "signal"> & { signal: LightSignal },
  origin: Origin,
  maxResponseBytes: number,
): Promise<TransportResponse> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? "0" : String(Buffer.byteLength(body));
    const sizedHeaders = method === "GET" ? headers : { ...headers, "content-length": length };
    signal.throwIfAborted();
    // The `signal` option is not used: it makes Node watch the whole stream, which costs more than the rest of this
    // function.
    const abortRequest = (): void => {
      fail(signal.reason);
      outgoing.destroy();
    };
    const fail = (reason: unknown): void => {
      signal.removeEventListener("abort", abortRequest);
      reject(reason);
    };
    let hasResponse = false;
    const path = url.slice(origin.pathOffset).replace(/^(?!\/)/, "/");
    const outgoing = origin.module.request(
      { path, method, headers: sizedHeaders, ...origin.options },
      (incoming) => {
        hasResponse = true;
        // Only a proxy responds with 407.
        if (origin.proxy && incoming.statusCode === 407) failAtProxy(407);
        if (!hasEncodedBody(method, incoming)) {
          receiveResponse(incoming, incoming);
          return;
        }
        incoming.on("error", fail);
        void import("./content-encoding.js")
          .catch(throwNotLoaded)
          .then(({ decodeContent: decode }) => receiveResponse(incoming, decode(incoming)))
          .catch((error: unknown) => {
            fail(error);
            outgoing.destroy();
          });
      },
    );
    const receiveResponse = (incoming: http.IncomingMessage, content: Readable): void => {
      const { statusCode: status = 0 } = incoming;
      if (reading?.unread && hasBody(status)) {
        signal.removeEventListener("abort", abortRequest);
        const receivedHeaders = flattenHeaders(incoming);
        // The declarations of Node.js and of the DOM describe the same class.
        const stream = Readable.toWeb(content) as ReadableStream<Uint8Array<ArrayBuffer>>;
        const unread = new Response(stream, { status, headers: receivedHeaders });
        resolve({ status, headers: receivedHeaders, body: "", unread });
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      content.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxResponseBytes) {
          chunks.push(chunk);
          return;
        }
        fail(new ResponseTooLargeError({ method, url }, maxResponseBytes));
        outgoing.destroy();
      });
      content.on("error", fail);
      content.on("end", () => {
        signal.removeEventListener("abort", abortRequest);
        resolve(toTransportResponse(incoming, chunks));
      });
    };
    // A reused connection has been made through the proxy.
    let isProxyPassed = origin.proxy === "";
    const failAtProxy = (status: number): void => {
      fail(new ProxyError(origin.proxy, status));
      outgoing.destroy();
    };
    if (!isProxyPassed)
      outgoing.on("proxyConnect", ({ statusCode }: { statusCode: number }) => {
        isProxyPassed = statusCode === 200;
        if (!isProxyPassed) failAtProxy(statusCode);
      });
    outgoing.on("error", (error) =>
      fail(isProxyPassed || outgoing.reusedSocket ? error : new ProxyError(origin.proxy, error)),
    );
    // Node.js reports no error when the service switches protocols.
    outgoing.on("close", () => {
      if (!hasResponse) fail(new Error("the connection was closed without a response"));
    });
    signal.addEventListener("abort", abortRequest);
    outgoing.end(body);
  });
