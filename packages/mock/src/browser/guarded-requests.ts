/** Which requests of a page wait for a check before they are sent. */
export interface GuardOptions {
  /** Whether a request to a URL needs the check. */
  readonly isGuarded: (url: string) => boolean;
  /** Resolves when a request may be sent. Rejects with the reason why it may not. */
  readonly check: () => Promise<void>;
  /** Stops the checks. */
  readonly signal: AbortSignal;
}

/** Sends requests of `fetch` and `XMLHttpRequest` to some URLs only after a check, and rejects them like a failed connection if it fails. */
export const guardRequests = (options: GuardOptions): void => {
  guardFetch(options);
  // Only pages have `XMLHttpRequest`.
  if ("XMLHttpRequest" in globalThis) guardXhr(options);
};

const guardFetch = ({ isGuarded, check, signal }: GuardOptions): void => {
  const { fetch } = globalThis;
  const guardedFetch: typeof fetch = async (input, init) => {
    const target = input instanceof Object && "url" in input ? input : String(input);
    const url = typeof target === "string" ? resolveUrl(target) : target.url;
    if (signal.aborted || !isGuarded(url)) return fetch(target, init);
    // The caller may change them during the check. Other functions instead of `fetch` may not take a `Request`.
    const copiedInit = init && { ...init, ...(init.headers && { headers: new Headers(init.headers) }) };
    await check().catch((cause: unknown) => {
      throw new TypeError("Failed to fetch", { cause });
    });
    return fetch(target, copiedInit);
  };
  globalThis.fetch = guardedFetch;
  signal.addEventListener("abort", () => {
    if (globalThis.fetch === guardedFetch) globalThis.fetch = fetch;
  });
};

/** Returns the absolute form of a URL, or the string unchanged if it is not one. */
const resolveUrl = (url: string | URL): string => {
  try {
    return new URL(url, document.baseURI).href;
  } catch {
    return String(url);
  }
};

const guardXhr = ({ isGuarded, check, signal }: GuardOptions): void => {
  const { XMLHttpRequest } = globalThis;
  class GuardedXhr extends XMLHttpRequest {
    #isGuarded = false;
    /** The `send` that waits. */
    #waitingSend: object | undefined;

    override open(
      method: string,
      url: string | URL,
      isAsync = true,
      username?: string | null,
      password?: string | null,
    ): void {
      this.#waitingSend = undefined;
      // A page that waits for a response cannot check anything meanwhile.
      this.#isGuarded = isAsync && isGuarded(resolveUrl(url));
      super.open(method, url, isAsync, username, password);
    }

    override send(body?: Document | XMLHttpRequestBodyInit | null): void {
      if (!this.#isGuarded || signal.aborted) return super.send(body);
      const waitingSend = (this.#waitingSend = {});
      const isCurrent = (): boolean => this.#waitingSend === waitingSend;
      check().then(
        () => isCurrent() && super.send(body),
        () => {
          if (!isCurrent()) return;
          for (const type of ["error", "loadend"]) this.dispatchEvent(new ProgressEvent(type));
        },
      );
    }

    override abort(): void {
      this.#waitingSend = undefined;
      super.abort();
    }
  }
  globalThis.XMLHttpRequest = GuardedXhr;
  signal.addEventListener("abort", () => {
    if (globalThis.XMLHttpRequest === GuardedXhr) globalThis.XMLHttpRequest = XMLHttpRequest;
  });
};
