import { BareClient } from "./bare-client.js";
import { type Core, createCore } from "./methods/core.js";
import { type Resources, type SafeResources, resources } from "./resources/generated/resources.js";
import { throwNotLoaded } from "./errors/not-loaded.js";
import type { HttpClient } from "./http.js";
import { type CursorPages, type ListCall, listPages, readAnyPage } from "./request/paging.js";
import type { ListOptions } from "./request/call.js";
import type { ClientOptions } from "./request/client-options.js";
import type { ClientSettings } from "./request/context.js";
import { safely } from "./methods/safe.js";

/** A client of the Management API, with a property per resource and a method per operation. */
export interface MgmtClient extends FullClient, Resources {}

class FullClient extends BareClient {
  /**
   * The same methods, which resolve to `{ data, error }` instead of throwing. An error that is not a `MgmtError`, such as the
   * reason of an aborted signal, is still thrown.
   *
   * ```ts
   * const { data, error } = await client.safe.projects.get("proj_1");
   * if (error) console.error(error.code);
   * else console.log(data.name);
   * ```
   */
  get safe(): SafeResources {
    // The client has an instance of every class of `Resources`.
    return safely(this as unknown as Resources);
  }

  /**
   * Lists by path: for lists of this contract or a newer one. Returns the same promise and iterable as the list methods.
   * `call.query.cursor` is the page to start at.
   *
   * A list without cursors (`pagination` has no `nextCursor`, or is absent) is a single page; its `hasMore` then says
   * whether a larger `limit` would return more.
   *
   * ```ts
   * const page = await client.requestPages({ method: "GET", path: "/v1/projects", query: { limit: 10 } });
   * ```
   *
   * Throws as `request`; `PagingError` when the service repeats a cursor, reports more items without one, or has ever more pages; and
   * `InvalidResponseError` for a body that is not a list.
   */
  requestPages<T = unknown>(call: ListCall, options?: ListOptions): CursorPages<T> {
    return listPages(this.core().request, call, options, readAnyPage);
  }

  /** The typed path client, which is loaded by its first call. */
  get http(): HttpClient {
    const core = this.core();
    const http = httpClients.get(core) ?? createLazyHttp(core.settings);
    httpClients.set(core, http);
    return http;
  }
}

/** The typed path client of each client. Clients do not share it, because a program can add middleware to it. */
const httpClients = new WeakMap<Core, HttpClient>();

const createLazyHttp = (settings: ClientSettings): HttpClient => {
  let loadingHttp: Promise<HttpClient> | undefined;
  const loadHttp = (): Promise<HttpClient> =>
    (loadingHttp ??= import("./http.js")
      .catch((cause: unknown) => {
        // The next call tries again.
        loadingHttp = undefined;
        return throwNotLoaded(cause);
      })
      .then(({ createHttp }) => createHttp(settings)));
  const names = "GET PUT POST DELETE OPTIONS HEAD PATCH TRACE request use eject".split(" ");
  // Each is a method of `HttpClient`.
  const client: unknown = Object.fromEntries(
    names.map((name) => [
      name,
      async (...args: unknown[]): Promise<unknown> =>
        Reflect.apply(Reflect.get(await loadHttp(), name), undefined, args),
    ]),
  );
  return client as HttpClient;
};

/**
 * Creates a client. A client keeps no state other than its options, so a program needs only one. Without options it uses the
 * service at `MGMT_BASE_URL` with the token `MGMT_TOKEN`.
 *
 * ```ts
 * const client = createClient();
 * const project = await client.projects.create({ name: "shop", region: "eu-central-1" });
 * ```
 *
 * Throws `InvalidArgumentError` for a missing or invalid `baseUrl`, for an invalid header, limit or timeout, and in a runtime that lacks a
 * feature that every client needs.
 */
export const createClient = (options?: ClientOptions): MgmtClient =>
  // The constructor has made an instance of every resource.
  new FullClient(createCore(options, resources)) as MgmtClient;
