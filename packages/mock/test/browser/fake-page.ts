import { type RequestHandler, getResponse } from "msw";
import { vi } from "vitest";
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

/** What a mock in a page uses of a browser and of MSW. Of several workers, the one that has started last receives the requests. */
export class FakePage {
  readonly storage = storageOf();
  /** URLs of requests that no worker has answered. */
  readonly network: string[] = [];
  readonly #window = new EventTarget();
  readonly #serviceWorker = new EventTarget();
  #receivers: (readonly RequestHandler[])[] = [];

  /** Makes this the page of the test. Call `vi.unstubAllGlobals` after it. */
  open({ isSecure = true, hasServiceWorkers = true, storage = (): unknown => this.storage } = {}): void {
    vi.stubGlobal("isSecureContext", isSecure);
    vi.stubGlobal("location", new URL("http://app.test/shop/"));
    vi.stubGlobal("navigator", hasServiceWorkers ? { serviceWorker: this.#serviceWorker } : {});
    vi.stubGlobal("addEventListener", this.#window.addEventListener.bind(this.#window));
    vi.stubGlobal("fetch", this.fetch);
    Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get: storage });
  }

  close(): void {
    vi.unstubAllGlobals();
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

  /** Does what a browser does when it leaves the page. */
  leave(): void {
    this.#window.dispatchEvent(new Event("pagehide"));
    this.#receivers = [];
  }
}
