import { type HttpHandler, http } from "msw";
import { waitForRealTurn } from "#platform";
import { MemoryServer, type Snapshot } from "@mgmt/engine";
import { assertEngineOptions } from "@mgmt/engine/internal";
import type { ClientOptions, MgmtClient } from "@mgmt/sdk";
import { type SdkLoadResult, getSdk, loadSdk } from "../client/load-sdk.js";
import { MockClients } from "../client/mock-clients.js";
import * as mockErrors from "../errors/mock-errors.js";
import { type MockOptions, toServerOptions } from "../mocks/mock-options.js";
import type { NonInterceptingMembers } from "../mocks/non-intercepting-members.js";
import { respondTo, createUrlPattern } from "../exchange/web-exchange.js";
import { guardRequests } from "./guarded-requests.js";
import { type StoredState, StateStorage, type Persistence } from "./state-storage.js";
import { interceptNavigations } from "./navigations.js";
import { type RunningMock, runInPageQueue, pageMocks } from "./page-mocks.js";
import { startUnderPolicy } from "./page-policy.js";
import { type CreateWorker, PageWorker } from "./page-worker.js";
import { type StartOptions, assertStartOptions } from "./start-options.js";

export interface WorkerMockOptions extends MockOptions {
  /**
   * Where the state is kept when the page is reloaded: `session` for this tab, or `local` for all pages of the origin, of which the last
   * one to write wins. Faults, the rate limit, and the request log are not kept. Default: nowhere.
   */
  readonly persist?: Persistence | undefined;
}

const workerOptionNames: Record<"baseUrl" | "persist", true> = { baseUrl: true, persist: true };

/**
 * Runs the reference server inside a web page. Requests that the page sends to `baseUrl` or `authUrl` are handled in its memory, and
 * never reach the network. Each tab has its own server.
 */
export class WorkerMock
  extends MemoryServer
  implements Pick<NonInterceptingMembers, "baseUrl" | "authUrl" | "clientOptions" | "fetch">
{
  readonly #clients = new MockClients(this);
  readonly #stateStorage: StateStorage | undefined;
  readonly #initialSnapshot: Snapshot;
  readonly #mockUrlPattern: RegExp;
  readonly #createWorker: CreateWorker;
  readonly #onDefect: (error: unknown) => void;
  readonly #running: RunningMock = { saveState: () => this.#saveState(), stop: () => this.#stop() };
  /** Returns the state to keep. Returns undefined if another mock has taken the place of this one: it keeps its own state. */
  readonly #captureState = (): StoredState | undefined => {
    const { running } = pageMocks;
    if (running && running !== this.#running) return undefined;
    return { snapshot: this.snapshot(), initial: this.#initialSnapshot };
  };
  /** Part of the URL of the request that this mock sends to itself. */
  readonly #probeToken = `mgmt-mock-probe=${String(Math.random())}`;
  /** Number of requests that the worker script has passed to the page, and that this mock has received. */
  #requestCounts = { passed: 0, received: 0 };
  #worker: PageWorker | undefined;
  /** Why the requests of the page are rejected since the worker does not pass them on any longer. */
  #interceptionError: Error | undefined;
  #listeners = new AbortController();
  #sdk: SdkLoadResult | undefined;

  /** @throws TypeError for an option that does not exist or is not valid. */
  constructor(options: WorkerMockOptions, createWorker: CreateWorker) {
    assertEngineOptions(options, Object.keys(workerOptionNames));
    const { persist, afterMutation, ...engineOptions } = options;
    pageMocks.running?.saveState();
    const stateStorage = persist === undefined ? undefined : openStateStorage(persist, options);
    const restoredState = engineOptions.snapshot ? undefined : stateStorage?.read();
    super(
      toServerOptions({
        ...engineOptions,
        ...(restoredState && {
          snapshot: restoredState.snapshot,
          initial: engineOptions.initial ?? restoredState.initial,
        }),
        afterMutation: () => {
          stateStorage?.writeSoon(this.#captureState);
          return afterMutation?.();
        },
      }),
    );
    this.#createWorker = createWorker;
    this.#onDefect = options.onDefect ?? console.error;
    this.#stateStorage = stateStorage;
    this.#initialSnapshot = restoredState?.initial ?? engineOptions.initial ?? this.snapshot();
    this.#mockUrlPattern = createUrlPattern(this.#clients.bases);
  }

  /** Handlers for your own worker, as an alternative to `start`: `setupWorker(...mock.handlers, ...yours)`. */
  get handlers(): readonly HttpHandler[] {
    return [
      http.all(this.#mockUrlPattern, async ({ request }) => {
        if (this.#isProbe(request.url)) {
          // Another worker of MSW, which lets the request pass immediately, has to be first.
          await waitForRealTurn();
          return new Response(this.#probeToken);
        }
        this.#requestCounts.received += 1;
        return respondTo(this, this.#clients.bases, request);
      }),
    ];
  }

  /**
   * Starts the worker of MSW, and resolves when it passes the requests of the page to this mock. Stops a mock that the page has started
   * before, as a hot reload does. Has no effect on a mock that runs. While it runs, `fetch` and `XMLHttpRequest` of the page first check
   * that the worker still passes requests on, and reject those to this mock if it does not.
   *
   * @throws MockError `mock:insecure_page` when the page cannot sign tokens, `mock:worker_missing` when the worker script cannot be
   * registered, `mock:workers_blocked` when a test blocks workers, `mock:worker_silent` when the script is not MSW's,
   * `mock:blocked_by_policy` when the content security policy of the page blocks the worker or the requests, `mock:not_intercepted` when
   * the requests of the page do not reach the mock.
   * @throws TypeError for an option that does not exist or is not valid.
   */
  // oxlint-disable-next-line typescript/no-misused-promises -- Only the page starts it, and awaits the worker.
  override start(options: StartOptions = {}): Promise<void> {
    return runInPageQueue(() => this.#start(options));
  }

  /** Stops passing requests to this mock, and stops background work. State that `persist` has stored remains. */
  override stop(): Promise<void> {
    return runInPageQueue(() => this.#stop());
  }

  async #start(options: StartOptions): Promise<void> {
    assertStartOptions(options);
    const { handlers = [], ...workerOptions } = options;
    if (!globalThis.isSecureContext) throw mockErrors.insecurePage(location.origin);
    if (pageMocks.running === this.#running && this.#interceptionError === undefined) return;
    await pageMocks.running?.stop();
    pageMocks.running = this.#running;
    const worker = new PageWorker({
      ...workerOptions,
      baseUrl: this.baseUrl,
      create: () => this.#createWorker(...this.handlers, ...handlers),
      probe: () => this.#assertIntercepted(),
    });
    try {
      await startUnderPolicy(this.#clients.bases, worker.script, async () => {
        this.#worker = worker;
        [this.#sdk] = await Promise.all([loadSdk(), worker.start()]);
      });
    } catch (error) {
      await this.#stop();
      throw error;
    }
    this.#addPageListeners();
    this.#clients.isClosed = false;
    super.start();
  }

  async #stop(): Promise<void> {
    if (pageMocks.running === this.#running) pageMocks.running = undefined;
    this.#listeners.abort();
    this.#clients.isClosed = true;
    await this.#worker?.stop();
    this.#worker = undefined;
    await super.stop();
    this.#saveState();
  }

  override async load(snapshot: Snapshot): Promise<void> {
    await super.load(snapshot);
    this.#saveState();
  }

  override async reset(): Promise<void> {
    await super.reset();
    this.#saveState();
  }

  /**
   * Creates a client of the SDK for which time passes by the mock's clock. Its requests go directly to this server, not through the
   * worker. When the client pauses, before a retry or a poll, it does not wait: it moves the clock.
   *
   * @param options the options of the client. Default: `clientOptions()`.
   * @throws MockError `mock:not_started` before `start`, `mock:sdk_missing` when the SDK is not installed, `mock:sdk_unusable` when it
   *   cannot be loaded for another reason.
   */
  client(options: ClientOptions = {}): MgmtClient {
    if (this.#sdk === undefined) throw mockErrors.notStarted();
    return getSdk(this.#sdk).createClient({ ...this.clientOptions(), ...options });
  }

  get baseUrl(): string {
    return this.settings.baseUrl;
  }

  get authUrl(): string {
    return this.settings.authUrl;
  }

  clientOptions(): Pick<ClientOptions, "baseUrl" | "token" | "fetch" | "timers"> {
    return this.#clients.options();
  }

  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    this.#clients.fetch(input, init);

  #isProbe(url: string): boolean {
    return url.includes(this.#probeToken);
  }

  /** Sends a request as the page does, and checks that this mock responds. */
  async #assertIntercepted(): Promise<void> {
    const response = await fetch(`${this.baseUrl}/?${this.#probeToken}`).catch((error: unknown) => ({
      error,
    }));
    if ("error" in response || (await response.text()) !== this.#probeToken)
      throw mockErrors.notIntercepted(this.baseUrl, location.pathname, "error" in response && response.error);
  }

  #addPageListeners(): void {
    this.#requestCounts = { passed: 0, received: 0 };
    this.#interceptionError = undefined;
    this.#listeners = new AbortController();
    const { signal } = this.#listeners;
    addEventListener("pagehide", () => this.#saveState(), { signal });
    interceptNavigations(this, {
      isStatePersisted: this.#stateStorage !== undefined,
      report: this.#onDefect,
      signal,
    });
    const isGuarded = (url: string): boolean => this.#mockUrlPattern.test(url) && !this.#isProbe(url);
    guardRequests({ isGuarded, check: () => this.#checkWorker(), signal });
    if (!("serviceWorker" in navigator)) return;
    const checkInBackground = (): void => void this.#checkWorker().catch(() => undefined);
    navigator.serviceWorker.addEventListener("message", (event) => void this.#handleWorkerMessage(event), {
      signal,
    });
    navigator.serviceWorker.addEventListener("controllerchange", checkInBackground, { signal });
    for (const name of ["pageshow", "visibilitychange"])
      addEventListener(name, checkInBackground, { signal });
    // MSW 2 tells the worker to close on this event, although the page may stay.
    addEventListener("beforeunload", () => setTimeout(checkInBackground), { signal });
  }

  /**
   * Resolves when the worker passes requests on to this mock. The first time that it cannot, it reports that, and requests of the page
   * are rejected from then on.
   */
  async #checkWorker(): Promise<void> {
    const worker = this.#worker;
    if (this.#interceptionError !== undefined) throw this.#interceptionError;
    await worker?.check().catch((error: unknown) => {
      if (this.#worker !== worker) return;
      const isNew = this.#interceptionError === undefined;
      this.#interceptionError ??= error instanceof Error ? error : new Error(String(error));
      if (isNew) this.#onDefect(this.#interceptionError);
      throw this.#interceptionError;
    });
  }

  /** Finds out whether another worker of MSW has taken the requests of the page over. */
  async #handleWorkerMessage({ data, source }: MessageEvent<unknown>): Promise<void> {
    // The worker script sends messages of this form.
    const { type, payload } = Object(data) as { type?: unknown; payload?: { url?: unknown } };
    if (type === "REQUEST") {
      const url = String(payload?.url);
      if (this.#isProbe(url) || !this.#mockUrlPattern.test(url)) return;
      this.#requestCounts.passed += 1;
      await waitForRealTurn();
      if (this.#requestCounts.received >= this.#requestCounts.passed) return;
    } else if (type !== "MOCKING_ENABLED" || this.#worker?.consumeConfirmation(source)) return;
    this.#worker?.requireProbe();
    await this.#checkWorker().catch(() => undefined);
  }

  #saveState(): void {
    this.#stateStorage?.write(this.#captureState);
  }
}

const openStateStorage = (
  persist: Persistence,
  { baseUrl, onDefect = console.error }: WorkerMockOptions,
): StateStorage => {
  if (persist !== "session" && persist !== "local")
    throw new TypeError('persist must be "session" or "local"');
  const open = (): Storage | null => (persist === "session" ? sessionStorage : localStorage);
  return new StateStorage(`@mgmt/mock ${baseUrl ?? "default"}`, open, onDefect);
};
