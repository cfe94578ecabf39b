import { type RequestHandler, getResponse } from "msw";
import { vi } from "vitest";
import { pageMocks } from "../../src/browser/page-mocks.js";
import type { CreateWorker } from "../../src/browser/page-worker.js";

/** A storage with room for so many characters. */
export const storageOf = (room = Infinity) => {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string): string | null => items.get(key) ?? null,
    removeItem: (key: string): void => void items.delete(key),
    setItem: (key: string, text: string): void => {
      if (text.length > room) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
      items.set(key, text);
    },
  };
};

/** A document whose only element has the source as its text. */
class FakeDocument {
  readonly documentElement = Object.assign(new EventTarget(), { textContent: "" });
  readonly body = this.documentElement;
  readonly querySelectorAll = (): [] => [];
}

class FakeParser {
  parseFromString(html: string): FakeDocument {
    const page = new FakeDocument();
    page.body.textContent = html;
    return page;
  }
}

/** A worker script that runs. That of MSW passes requests on while it remembers the page. */
class FakeWorker {
  hasPage = false;
  /** Whether it confirms that it has been told about the page. */
  isSilent = false;
  readonly #send: (message: unknown, source: FakeWorker) => void;

  constructor(
    readonly scriptURL: string,
    send: (message: unknown, source: FakeWorker) => void,
  ) {
    this.#send = send;
  }

  postMessage(message: unknown): void {
    if (message !== "MOCK_ACTIVATE" || this.isSilent) return;
    this.hasPage = true;
    queueMicrotask(() => this.#send({ type: "MOCKING_ENABLED" }, this));
  }
}

/** A request of which only the last event matters. */
class FakeXhr extends EventTarget {
  static readonly sent: string[] = [];
  #url = "";
  open(_method: string, url: string | URL): void {
    this.#url = String(url);
  }
  send(): void {
    FakeXhr.sent.push(this.#url);
    this.dispatchEvent(new Event("load"));
  }
  abort(): void {
    this.#url = "";
  }
}

/** What a mock in a page uses of a browser and of MSW. Of several workers, the one that has started last receives the requests. */
export class FakePage {
  readonly url = "http://app.test/shop/";
  readonly storage = storageOf();
  /** URLs of requests that no worker has answered. */
  network: string[] = [];
  /** URLs that requests of XMLHttpRequest were sent to. */
  readonly sentByXhr: readonly string[] = FakeXhr.sent;
  /** Loads the page again. */
  readonly reload = vi.fn();
  readonly #window = new EventTarget();
  readonly #document = new EventTarget();
  readonly #serviceWorker = Object.assign(new EventTarget(), {
    // Set below.
    controller: null as FakeWorker | null,
    getRegistration: () => this.#registration(),
    getRegistrations: async () => this.#registrations,
    register: () => this.#register(),
  });
  #registrations: readonly object[] = [];
  #register: () => Promise<unknown> = async () => ({});
  #registration = async (): Promise<object | undefined> => undefined;
  readonly #navigation = new EventTarget();
  #receivers: (readonly RequestHandler[])[] = [];
  #show: (page: string) => void = () => undefined;

  /** Makes this the page of the test. Call `vi.unstubAllGlobals` after it. */
  open({
    isSecure = true,
    hasServiceWorkers = true,
    hasNavigation = true,
    registration = this.#registration,
    registrations = this.#registrations,
    register = this.#register,
    isReloaded = false,
    storage = (): unknown => this.storage,
  } = {}): void {
    this.network = [];
    FakeXhr.sent.length = 0;
    this.#registrations = registrations;
    this.#register = register;
    vi.stubGlobal("isSecureContext", isSecure);
    this.#registration = registration;
    vi.stubGlobal("location", Object.assign(new URL(this.url), { reload: this.reload }));
    vi.stubGlobal("XMLHttpRequest", FakeXhr);
    vi.stubGlobal("ProgressEvent", Event);
    const entries = [{ type: isReloaded ? "reload" : "navigate" }];
    vi.spyOn(performance, "getEntriesByType").mockReturnValue(entries as unknown as PerformanceEntryList);
    vi.stubGlobal("navigation", hasNavigation ? this.#navigation : undefined);
    vi.stubGlobal("DOMParser", FakeParser);
    vi.stubGlobal("CSSStyleSheet", class {});
    const shown = {
      baseURI: this.url,
      implementation: { createHTMLDocument: () => new FakeDocument() },
      documentElement: { replaceWith: ({ textContent }: { textContent: string }) => this.#show(textContent) },
    };
    vi.stubGlobal("document", Object.assign(this.#document, shown));
    vi.stubGlobal("scrollTo", vi.fn());
    vi.stubGlobal("navigator", hasServiceWorkers ? { serviceWorker: this.#serviceWorker } : {});
    vi.stubGlobal("addEventListener", this.#window.addEventListener.bind(this.#window));
    vi.stubGlobal("fetch", this.fetch);
    Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get: storage });
    if (isReloaded) this.storage.setItem(`@mgmt/mock reloaded ${this.url}`, "");
  }

  close(): void {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    Reflect.deleteProperty(globalThis, "sessionStorage");
  }

  /** `setupWorker` of MSW. */
  readonly createWorker: CreateWorker = (...handlers) => ({
    start: async () => {
      this.#receivers = [...this.#receivers, handlers];
      this.#serviceWorker.controller ??= this.#newWorker("http://app.test/mockServiceWorker.js");
      this.#serviceWorker.controller.hasPage = true;
      return undefined;
    },
    stop: () => {
      this.#receivers = this.#receivers.filter((each) => each !== handlers);
    },
  });

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const handlers = this.worker?.hasPage === true ? this.#receivers.at(-1) : undefined;
    if (handlers) this.receive({ type: "REQUEST", payload: { url: request.url } });
    const response = handlers && (await getResponse([...handlers], request));
    if (response) return response;
    this.network.push(request.url);
    throw new TypeError("Failed to fetch");
  };

  /** The worker that controls the page. */
  get worker(): FakeWorker | null {
    return this.#serviceWorker.controller;
  }

  #newWorker(scriptURL: string): FakeWorker {
    return new FakeWorker(scriptURL, (message, source) => this.receive(message, source));
  }

  /** Lets a new worker control the page; with null, none. */
  control(scriptURL: string | null): void {
    this.#serviceWorker.controller = scriptURL === null ? null : this.#newWorker(scriptURL);
    this.#serviceWorker.dispatchEvent(new Event("controllerchange"));
  }

  /** Lets the worker forget the page, as it does when the browser ends it. */
  forget(): void {
    if (this.worker) this.worker.hasPage = false;
  }

  /** Dispatches an event of the window. */
  dispatch(type: string): void {
    this.#window.dispatchEvent(new Event(type));
  }

  /** Passes what the worker script sends to the page. */
  receive(message: unknown, source = this.worker): void {
    this.#serviceWorker.dispatchEvent(Object.assign(new Event("message"), { data: message, source }));
  }

  /** Reports that the content security policy of the page has blocked something, or would have. */
  violate(effectiveDirective: string, blockedURI: string, disposition = "enforce"): void {
    const event = Object.assign(new Event("securitypolicyviolation"), { effectiveDirective, blockedURI });
    this.#document.dispatchEvent(Object.assign(event, { disposition }));
  }

  /** Resolves with the text of the page that is shown next in place of the app. */
  nextPage(): Promise<string> {
    return new Promise((resolve) => {
      this.#show = resolve;
    });
  }

  /**
   * Begins to leave for a URL, and returns what the page does about it.
   *
   * @param options.isBack Whether it goes back to an entry of the history that the page itself has pushed.
   */
  navigate(url: string, { isBack = false } = {}): "leaves" | "stays" | "responds" {
    const intercept = vi.fn();
    const event = new Event("navigate", { cancelable: !isBack });
    Object.assign(event, {
      canIntercept: true,
      destination: { url, sameDocument: isBack },
      navigationType: isBack ? "traverse" : "push",
      intercept,
    });
    this.#navigation.dispatchEvent(event);
    if (event.defaultPrevented) return "stays";
    return intercept.mock.calls.length > 0 ? "responds" : "leaves";
  }

  /** Does what a browser does when it leaves the page. */
  leave(): void {
    this.dispatch("pagehide");
    this.#receivers = [];
    this.#serviceWorker.controller = null;
    Object.assign(pageMocks, { running: undefined, queue: Promise.resolve() });
  }
}
