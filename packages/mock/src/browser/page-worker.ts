import type { RequestHandler } from "msw";
import type { SetupWorker } from "msw/browser";
import * as mockErrors from "../errors/mock-errors.js";
import { reloadOnce, clearReloadMark } from "./reload-once.js";
import type { StartOptions } from "./start-options.js";

/** The part of MSW's `setupWorker` that this module uses. Its `stop` returns a promise in MSW 3. */
export type CreateWorker = (
  ...handlers: RequestHandler[]
) => Pick<SetupWorker, "start"> & { stop(): void | Promise<void> };

/** How long the worker script has to answer, in milliseconds. */
const timeoutsMs = { start: 20_000, stop: 2_000 };

/** How the worker of a page is created and checked. */
export interface PageWorkerOptions extends Omit<StartOptions, "handlers"> {
  /** Creates a worker of MSW with the handlers of the mock. */
  readonly create: () => ReturnType<CreateWorker>;
  /** Sends a request as the page does, and rejects if it does not reach the mock. */
  readonly probe: () => Promise<void>;
  readonly baseUrl: string;
}

/** The worker of MSW in this page. It forgets the page when the browser ends it, and when the page is about to be left. */
export class PageWorker {
  readonly #options: PageWorkerOptions;
  /** URL of the worker script. */
  readonly script: string;
  #worker: ReturnType<CreateWorker> | undefined;
  /** The worker that has passed a request on, or undefined if the page has none, and MSW replaces its `fetch`. */
  #controller: ServiceWorker | undefined;
  /** The check in progress. */
  #runningCheck: Promise<void> | undefined;
  /** The worker that a check has asked to pass requests on, until it confirms that. */
  #unconfirmedWorker: ServiceWorker | undefined;
  #needsProbe = false;

  constructor(options: PageWorkerOptions) {
    this.#options = options;
    this.script = options.workerUrl ?? "/mockServiceWorker.js";
  }

  /** Starts the worker, and checks that requests reach the mock. */
  async start(): Promise<void> {
    await this.#assertControllable();
    await this.#startWorker();
    await this.#options.probe().catch(async (error: unknown) => {
      // That happens to a frame of a page that follows the last page with a worker: MSW unregisters then, and the browser keeps what the
      // page still uses.
      const registration = await serviceWorkerContainer()
        ?.getRegistration()
        .catch(() => undefined);
      if (registration === undefined || serviceWorkerContainer()?.controller) throw error;
      await reloadOnce(error);
    });
    this.#controller = serviceWorkerContainer()?.controller ?? undefined;
    clearReloadMark();
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await stopWorker(worker);
  }

  /** Lets the next check send a request through the worker. */
  requireProbe(): void {
    this.#needsProbe = true;
  }

  /**
   * Returns whether a confirmation of the worker script is the answer to a check, as opposed to one for another worker of MSW.
   *
   * @param source the sender of the message.
   */
  consumeConfirmation(source: MessageEventSource | null): boolean {
    if (this.#unconfirmedWorker === undefined || source !== this.#unconfirmedWorker) return false;
    this.#unconfirmedWorker = undefined;
    return true;
  }

  /**
   * Resolves when the worker passes the requests of the page on, which it is asked to do again.
   *
   * @throws MockError when requests would leave for the network.
   */
  check(): Promise<void> {
    this.#runningCheck ??= this.#checkNow().finally(() => {
      this.#runningCheck = undefined;
    });
    return this.#runningCheck;
  }

  async #checkNow(): Promise<void> {
    const { baseUrl, probe } = this.#options;
    if (this.#controller) {
      const controller = serviceWorkerContainer()?.controller;
      if (controller?.scriptURL !== this.#controller.scriptURL)
        throw mockErrors.workerReplaced(baseUrl, controller?.scriptURL);
      // Another version of the script, or a worker that does not answer.
      if (controller !== this.#controller || !(await this.#activate(controller))) {
        await this.stop();
        return this.start();
      }
    }
    if (!this.#needsProbe) return;
    this.#needsProbe = false;
    await probe().catch((error: unknown) => {
      throw mockErrors.secondWorker(baseUrl, error);
    });
  }

  /** Activates the worker like MSW when it starts. Resolves with whether the worker has confirmed it. */
  async #activate(worker: ServiceWorker): Promise<boolean> {
    const listenerController = new AbortController();
    const confirmed = new Promise<void>((resolve) => {
      const listener = ({ source, data }: MessageEvent): void => {
        if (source === worker && Object(data).type === "MOCKING_ENABLED") resolve();
      };
      serviceWorkerContainer()?.addEventListener("message", listener, { signal: listenerController.signal });
    });
    this.#unconfirmedWorker = worker;
    worker.postMessage("MOCK_ACTIVATE");
    const isConfirmed = await isDoneWithin(timeoutsMs.start, confirmed);
    listenerController.abort();
    this.#unconfirmedWorker = undefined;
    return isConfirmed;
  }

  /**
   * MSW loads a page without end that no worker controls, if its script is registered. The browser loads a page so if the user bypasses the
   * cache, and always with "Bypass for network" in its tools for developers.
   */
  async #assertControllable(): Promise<void> {
    const { baseUrl } = this.#options;
    if (serviceWorkerContainer()?.controller !== null) return;
    const { href } = new URL(this.script, location.href);
    // A page that was opened as a file may not ask.
    const registrations = (
      (await serviceWorkerContainer()
        ?.getRegistrations()
        .catch(() => [])) ?? []
    ).filter(({ active, installing, waiting }) =>
      [active, installing, waiting].some((worker) => worker?.scriptURL === href),
    );
    if (registrations.length === 0) return;
    const error = mockErrors.notIntercepted(baseUrl, location.pathname);
    if (!registrations.some(({ scope }) => location.href.startsWith(scope))) throw error;
    await reloadOnce(error);
  }

  async #startWorker(): Promise<void> {
    const { create, onUnhandledRequest = "bypass", scope } = this.#options;
    const options = scope === undefined ? undefined : { scope };
    const serviceWorker = { url: this.script, ...(options && { options }) };
    // MSW 3 has another name for the option.
    const unhandledOptions = { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest };
    const worker = create();
    const startedWorker = worker
      .start({ serviceWorker, quiet: true, ...unhandledOptions })
      .catch(async (error: unknown) => {
        // MSW 3 replaces globals before it fails. MSW 2 warns about a stop without a start.
        if ("readyState" in worker) await stopWorker(worker);
        throw (await isRegistrationBlocked(this.script, options))
          ? mockErrors.workersBlocked(error)
          : mockErrors.workerMissing(this.script, error);
      });
    if (!(await isDoneWithin(timeoutsMs.start, startedWorker))) {
      void startedWorker.then(() => stopWorker(worker)).catch(() => undefined);
      throw mockErrors.workerSilent(this.script, timeoutsMs.start / 1_000);
    }
    this.#worker = worker;
  }
}

/** Returns the service workers of the page; undefined where the browser has none, which its type does not express. */
const serviceWorkerContainer = (): ServiceWorkerContainer | undefined => globalThis.navigator.serviceWorker;

/**
 * Returns whether something has replaced the function that registers workers by one that does nothing, as Playwright does with
 * `serviceWorkers: "block"`.
 */
const isRegistrationBlocked = async (script: string, options?: RegistrationOptions): Promise<boolean> => {
  const register = async (): Promise<unknown> => serviceWorkerContainer()?.register(script, options);
  return register().then(
    (registration) => registration === undefined,
    () => false,
  );
};

/** Stops a worker. MSW 3 waits for its script to confirm it. The script of MSW 2 does not confirm it. */
const stopWorker = (worker?: ReturnType<CreateWorker>): Promise<boolean> =>
  isDoneWithin(timeoutsMs.stop, Promise.resolve(worker?.stop()));

/** Resolves with true when a promise has resolved, or with false after some milliseconds. */
const isDoneWithin = (timeoutMs: number, promise: Promise<unknown>): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  return Promise.race([promise.then(() => true), timedOut]).finally(() => clearTimeout(timer));
};
