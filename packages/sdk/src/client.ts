import { BareClient } from "./bare-client.js";
import { type Resources, resources } from "./generated/resources.js";
import type { HttpClient } from "./http.js";
import { type ClientOptions, type Settings, readSettings } from "./request/settings.js";
import { type Safe, safely } from "./safe.js";

/** A client of the Management API: one property a resource, one method an operation. */
export interface MgmtClient extends FullClient, Resources {}

class FullClient extends BareClient {
  readonly #http: HttpClient;

  constructor(settings: Settings) {
    super(settings, resources);
    this.#http = httpOf(settings);
  }

  /**
   * The same methods, answering `{ data, error }` instead of throwing. What is no `MgmtError`, such as the reason of an
   * aborted signal, is thrown all the same.
   *
   * ```ts
   * const { data, error } = await client.safe.projects.get("proj_1");
   * if (error) console.error(error.code);
   * else console.log(data.name);
   * ```
   */
  get safe(): Safe<Resources> {
    // It has an instance of every class of `Resources`.
    return safely(this as unknown as Resources);
  }

  /** The typed path client, for those who think in paths. Loaded with its first call. */
  get http(): HttpClient {
    return this.#http;
  }
}

const httpOf = (settings: Settings): HttpClient => {
  let loading: Promise<HttpClient> | undefined;
  const load = (): Promise<HttpClient> =>
    (loading ??= import("./http.js").then(({ createHttp }) => createHttp(settings)));
  const names = "GET PUT POST DELETE OPTIONS HEAD PATCH TRACE request use eject".split(" ");
  // Each is a method of `HttpClient`.
  const client: unknown = Object.fromEntries(
    names.map((name) => [
      name,
      async (...args: unknown[]): Promise<unknown> =>
        Reflect.apply(Reflect.get(await load(), name), undefined, args),
    ]),
  );
  return client as HttpClient;
};

/**
 * Makes a client. It keeps nothing but its options, so one for the whole program is enough.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://api.example.com", token: process.env.MGMT_TOKEN });
 * const project = await client.projects.create({ name: "shop", region: "eu-central-1" });
 * ```
 *
 * Throws `InvalidArgumentError` for a `baseUrl`, header, limit or `timeoutMs` that cannot be.
 */
export const createClient = (options: ClientOptions): MgmtClient =>
  // As above.
  new FullClient(readSettings(options)) as MgmtClient;
