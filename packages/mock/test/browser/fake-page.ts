import { type RequestHandler, getResponse } from "msw";
import { vi } from "vitest";
import { pageMocks } from "../../src/browser/page-mocks.js";
import type { CreateWorker } from "../../src/browser/worker-mock.js";

/** A storage with room for so many characters. */
export const storageOf = (room = Infinity) => {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string): string | null => items.get(key) ?? null,
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

/** What a mock in a page uses of a browser and of MSW. Of several workers, the one that has started last receives the requests. */
export class FakePage {
  readonly storage = storageOf();
  /** URLs of requests that no worker has answered. */
  readonly network: string[] = [];
  /** Loads the page again. */
  readonly reload = vi.fn();
  readonly #window = new EventTarget();
  readonly #document = new EventTarget();
  readonly #serviceWorker = Object.assign(new EventTarget(), {
    controller: null,
    getRegistration: () => this.#registration(),
  });
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
    isReloaded = false,
    storage = (): unknown => this.storage,
  } = {}): void {
    vi.stubGlobal("isSecureContext", isSecure);
    this.#registration = registration;
    vi.stubGlobal("location", Object.assign(new URL("http://app.test/shop/"), { reload: this.reload }));
    const entries = [{ type: isReloaded ? "reload" : "navigate" }];
    vi.spyOn(performance, "getEntriesByType").mockReturnValue(entries as unknown as PerformanceEntryList);
    vi.stubGlobal("navigation", hasNavigation ? this.#navigation : undefined);
    vi.stubGlobal("DOMParser", FakeParser);
    vi.stubGlobal("CSSStyleSheet", class {});
    const shown = {
      implementation: { createHTMLDocument: () => new FakeDocument() },
      documentElement: { replaceWith: ({ textContent }: { textContent: string }) => this.#show(textContent) },
    };
    vi.stubGlobal("document", Object.assign(this.#document, shown));
    vi.stubGlobal("scrollTo", vi.fn());
    vi.stubGlobal("navigator", hasServiceWorkers ? { serviceWorker: this.#serviceWorker } : {});
    vi.stubGlobal("addEventListener", this.#window.addEventListener.bind(this.#window));
    vi.stubGlobal("fetch", this.fetch);
    Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get: storage });
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
      return undefined;
    },
    stop: () => {
      this.#receivers = this.#receivers.filter((each) => each !== handlers);
    },
  });

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const handlers = this.#receivers.at(-1);
    if (handlers) this.receive({ type: "REQUEST", payload: { url: request.url } });
    const response = handlers && (await getResponse([...handlers], request));
    if (response) return response;
    this.network.push(request.url);
    throw new TypeError("Failed to fetch");
  };

  /** Passes what the worker script sends to the page. */
  receive(message: unknown): void {
    this.#serviceWorker.dispatchEvent(new MessageEvent("message", { data: message }));
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
    this.#window.dispatchEvent(new Event("pagehide"));
    this.#receivers = [];
    Object.assign(pageMocks, { running: undefined, turn: Promise.resolve() });
  }
}
