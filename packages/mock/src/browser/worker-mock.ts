import { type HttpHandler, type RequestHandler, http } from "msw";
import { type SetupWorker, setupWorker } from "msw/browser";
import type { Snapshot } from "@mgmt/engine";
import { assertEngineOptions } from "@mgmt/engine/internal";
import type { ClientOptions, MgmtClient, createClient as CreateClient } from "@mgmt/sdk";
import { mockErrors } from "../errors/mock-error.js";
import { MockServer } from "../exchange/mock-server.js";
import { respondTo, urlsBelow } from "../exchange/web-exchange.js";
import type { MockOptions } from "../mocks/mock.js";
import { KeptState, type Persistence } from "./kept-state.js";

export interface WorkerMockOptions extends MockOptions {
  /**
   * Where the state is kept when the page is reloaded: `session` for this tab, or `local` for all pages of the origin, of which the last
   * one to write wins. Faults, the rate limit, and the request log are not kept. Default: nowhere.
   */
  readonly persist?: Persistence | undefined;
}

export interface StartOptions {
  /** Your own handlers for requests to other hosts. Default: none. */
  readonly handlers?: readonly RequestHandler[] | undefined;
  /** What to do with requests that no handler responds to. Default: `bypass`. */
  readonly onUnhandledRequest?: "bypass" | "warn" | "error" | undefined;
  /** URL of the worker script that `npx msw init` writes. Default: `/mockServiceWorker.js`. */
  readonly workerUrl?: string | undefined;
  /** The pages whose requests the worker receives. Default: those in the folder of the script. */
  readonly scope?: string | undefined;
}

const ownOptions: Record<"baseUrl" | "persist", true> = { baseUrl: true, persist: true };

/** How long changes are collected before they are kept, in milliseconds. */
const keepDelay = 100;

/** The mock of this page that has started, also if a copy of this module has started it before a hot reload. */
const registry = globalThis as { [running]?: { stop(): Promise<void> } | undefined };
const running = Symbol.for("@mgmt/mock/browser");

/**
 * Runs the reference server inside a web page. Requests that the page sends to `baseUrl` or `authUrl` are handled in its memory, and
 * never reach the network. Each tab has its own server.
 */
export class WorkerMock extends MockServer {
  readonly #kept: KeptState | undefined;
  readonly #initial: Snapshot;
  readonly #urls: RegExp;
  readonly #keepNow = (): void => this.#keep();
  /** Part of the URL of the request that `start` sends to itself. */
  readonly #probe = `mgmt-mock-probe=${String(Math.random())}`;
  #worker: SetupWorker | undefined;
  #sdk: Sdk | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @throws TypeError for an option that does not exist or is not valid. */
  constructor(options: WorkerMockOptions = {}) {
    assertEngineOptions(options, Object.keys(ownOptions));
    const { baseUrl, settings, persist, afterMutation, ...rest } = options;
    const kept = persist === undefined ? undefined : keptState(persist, options);
    const found = rest.snapshot ? undefined : kept?.read();
    super({
      ...rest,
      ...(found && { snapshot: found.snapshot, initial: rest.initial ?? found.initial }),
      settings: { ...settings, ...(baseUrl !== undefined && { baseUrl }) },
      afterMutation: () => {
        this.#keepSoon();
        return afterMutation?.();
      },
    });
    this.#kept = kept;
    this.#initial = found?.initial ?? rest.initial ?? this.snapshot();
    this.#urls = urlsBelow(this.bases);
  }

  /** Base URL of the API, without a trailing slash and without `/v1`. */
  get baseUrl(): string {
    return this.settings.baseUrl;
  }

  /** Base URL of the authorization server, without a trailing slash. */
  get authUrl(): string {
    return this.settings.authUrl;
  }

  /** Handlers for your own worker, as an alternative to `start`: `setupWorker(...mock.handlers, ...yours)`. */
  get handlers(): readonly HttpHandler[] {
    return [
      http.all(this.#urls, ({ request }) =>
        request.url.includes(this.#probe) ? new Response(this.#probe) : respondTo(this, this.bases, request),
      ),
    ];
  }

  /**
   * Starts the worker of MSW, and resolves when it passes the requests of the page to this mock. Stops a mock that the page has started
   * before, as a hot reload does.
   *
   * @throws MockError `mock:insecure_page` when the page cannot sign tokens, `mock:worker_missing` when the worker script cannot be
   * registered, `mock:not_intercepted` when the requests of the page do not reach the mock.
   */
  // oxlint-disable-next-line typescript/no-misused-promises -- Only the page starts it, and awaits the worker.
  override async start(options: StartOptions = {}): Promise<void> {
    const { handlers = [], onUnhandledRequest = "bypass", workerUrl, scope } = options;
    if (!globalThis.isSecureContext) throw mockErrors.insecurePage(location.origin);
    if (registry[running] !== this) await registry[running]?.stop();
    registry[running] = this;
    this.#worker ??= setupWorker(...this.handlers, ...handlers);
    const serviceWorker = {
      ...(workerUrl !== undefined && { url: workerUrl }),
      ...(scope !== undefined && { options: { scope } }),
    };
    // MSW 3 has another name for the option.
    const unhandled = { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest };
    const [sdk] = await Promise.all([
      loadSdk(),
      this.#worker.start({ serviceWorker, quiet: true, ...unhandled }).catch((error: unknown) => {
        throw mockErrors.workerMissing(workerUrl ?? "/mockServiceWorker.js", error);
      }),
    ]);
    this.#sdk = sdk;
    await this.#assertIntercepted();
    addEventListener("pagehide", this.#keepNow);
    this.isClosed = false;
    super.start();
  }

  /** Stops passing requests to this mock, and stops background work. What `persist` keeps remains. */
  override async stop(): Promise<void> {
    if (registry[running] === this) registry[running] = undefined;
    removeEventListener("pagehide", this.#keepNow);
    this.isClosed = true;
    await this.#worker?.stop();
    this.#worker = undefined;
    await super.stop();
    this.#keep();
  }

  override async load(snapshot: Snapshot): Promise<void> {
    await super.load(snapshot);
    this.#keep();
  }

  override async reset(): Promise<void> {
    await super.reset();
    this.#keep();
  }

  /**
   * Creates a client of the SDK for which time passes by the mock's clock. Its requests go directly to this server, not through the
   * worker. When the client pauses, before a retry or a poll, it does not wait: it moves the clock.
   *
   * @param options of the client. Default: `clientOptions()`.
   * @throws MockError `mock:not_started` before `start`, `mock:sdk_missing` when the SDK is not installed.
   */
  client(options: ClientOptions = {}): MgmtClient {
    if (this.#sdk === undefined) throw mockErrors.notStarted();
    if ("failure" in this.#sdk) throw mockErrors.withoutSdk(this.#sdk.failure);
    return this.#sdk.createClient({ ...this.clientOptions(), ...options });
  }

  /** Sends a request as the page does, and checks that this mock responds. */
  async #assertIntercepted(): Promise<void> {
    const response = await fetch(`${this.baseUrl}/?${this.#probe}`).catch((error: unknown) => ({ error }));
    if ("error" in response || (await response.text()) !== this.#probe) {
      await this.stop();
      throw mockErrors.notIntercepted(this.baseUrl, location.pathname, "error" in response && response.error);
    }
  }

  #keepSoon(): void {
    if (this.#kept) this.#timer ??= setTimeout(this.#keepNow, keepDelay);
  }

  #keep(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#kept?.write({ snapshot: this.snapshot(), initial: this.#initial });
  }
}

type Sdk = { readonly createClient: typeof CreateClient } | { readonly failure: unknown };

const loadSdk = (): Promise<Sdk> =>
  // oxlint-disable-next-line no-restricted-imports -- For `client`, and it works without the SDK.
  import("@mgmt/sdk").then(
    ({ createClient }) => ({ createClient }),
    (failure: unknown) => ({ failure }),
  );

const keptState = (
  persist: Persistence,
  { baseUrl, onDefect = console.error }: WorkerMockOptions,
): KeptState => {
  if (persist !== "session" && persist !== "local")
    throw new TypeError('persist must be "session" or "local"');
  const open = (): Storage => (persist === "session" ? sessionStorage : localStorage);
  return new KeptState(`@mgmt/mock ${baseUrl ?? "default"}`, open, onDefect);
};

/**
 * Creates a reference server for a web page. Await `mock.start()` before the page sends requests. Requires `msw` 2 or 3, and the worker
 * script that `npx msw init` writes.
 *
 * @throws TypeError when `baseUrl` or `settings.authUrl` is not valid, and for an option that does not exist.
 */
export const setupMockWorker = (options: WorkerMockOptions = {}): WorkerMock => new WorkerMock(options);
