import { Resources } from "./generated/resources.js";
import { type HttpClient, createHttp } from "./http.js";
import type { Call, RequestOptions } from "./request/call.js";
import { requestPath } from "./request/request.js";
import { type ClientOptions, type Settings, readSettings } from "./request/settings.js";

/** A client of the Management API: one property a resource, one method an operation. */
export class MgmtClient extends Resources {
  readonly #settings: Settings;
  #http: HttpClient | undefined;

  constructor(options: ClientOptions) {
    const settings = readSettings(options);
    super(requestPath(settings));
    this.#settings = settings;
  }

  /** The typed path client, for those who think in paths. Made when it is first read. */
  get http(): HttpClient {
    return (this.#http ??= createHttp(this.#settings));
  }

  /**
   * Sends one call, of this contract or newer than it, and answers the body as it came: the `data` envelope is kept, and
   * an empty body is undefined. Throws `ApiError` for an answer of another status than 2xx, `ConnectionError` (or its
   * `TimeoutError`) when no whole answer came, `TokenError` when there was no credential to send, `InvalidArgumentError`
   * for what no request can carry, and the reason of `options.signal` when that was aborted.
   */
  async request<T = unknown>(call: Call, options?: RequestOptions): Promise<T> {
    const { body } = await requestPath(this.#settings)(call, options, (body) => ({ body }));
    // The caller says what the body is.
    return body as T;
  }
}

/**
 * Makes a client. It keeps nothing but its options, so one for the whole program is enough.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://api.example.com", token: process.env.MGMT_TOKEN });
 * const project = await client.projects.create({ name: "shop", region: "eu-central-1" });
 * ```
 *
 * Throws `InvalidArgumentError` for a `baseUrl`, header or `timeoutMs` that cannot be.
 */
export const createClient = (options: ClientOptions): MgmtClient => new MgmtClient(options);
