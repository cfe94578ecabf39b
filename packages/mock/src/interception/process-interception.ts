import type { HttpHandler } from "msw";
import type { MemoryServer } from "@mgmt/engine";
import type { MockError } from "../errors/mock-error.js";
import { respondTo, createUrlPattern } from "../exchange/web-exchange.js";
import { assertNoneShadowed } from "./developer-handlers.js";
import type { InterceptingMock } from "./shared-msw-handler.js";
import {
  startInterception,
  findInterceptionError,
  stopInterception,
  findReplacementError,
} from "./interception.js";
import { type ListenOptions, checkAndWrapListenOptions } from "./listen-options.js";
import { requireMsw } from "./msw.js";

/** The interception of the requests that a process sends to a server in it. */
export class ProcessInterception {
  readonly #server: MemoryServer;
  readonly #bases: readonly string[];
  readonly #mockUrlPattern: RegExp;
  #handlers: readonly HttpHandler[] | undefined;

  /** @param bases the base URLs of the server, in the form that `normalizeBaseUrl` returns. */
  constructor(server: MemoryServer, bases: readonly string[]) {
    this.#server = server;
    this.#bases = bases;
    this.#mockUrlPattern = createUrlPattern(bases);
  }

  /**
   * Handlers for an MSW server of the developer.
   *
   * @throws MockError `mock:msw_missing`.
   */
  get handlers(): readonly HttpHandler[] {
    // Use a regular expression, because MSW decodes the parameters of path patterns and fails on paths that
    // cannot be decoded.
    this.#handlers ??= [requireMsw().http.all(this.#mockUrlPattern, ({ request }) => this.#respond(request))];
    return this.#handlers;
  }

  /** Starts. Throws what `listen` of a mock throws. */
  start(options: ListenOptions): void {
    const { server, handlers = [], onUnhandledRequest } = checkAndWrapListenOptions(options);
    if (typeof handlers !== "function") assertNoneShadowed(handlers, this.#bases);
    const interceptingMock: InterceptingMock = {
      respond: (request) => (this.#mockUrlPattern.test(request.url) ? this.#respond(request) : undefined),
      listHandlers: typeof handlers === "function" ? handlers : () => handlers,
      onUnhandledRequest: onUnhandledRequest ?? (server ? undefined : "bypass"),
    };
    startInterception(this.#server, interceptingMock, { bases: this.#bases, server });
  }

  /** Ends. Returns the error that another server has received requests since `start`; undefined if none has. */
  stop(): MockError | undefined {
    const interceptionError = findInterceptionError(this.#server);
    stopInterception(this.#server);
    return interceptionError;
  }

  /** Throws if another server receives the requests by now. */
  assertReceiving(): void {
    const replacementError = findReplacementError(this.#server);
    if (replacementError) throw replacementError;
  }

  #respond(request: Request): Promise<Response> {
    return respondTo(this.#server, this.#bases, request);
  }
}
