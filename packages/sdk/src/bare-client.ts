import type { ApiPromise } from "./request/api-promise.js";
import { type Core, CoreOwner, createCoreWithSettings } from "./methods/core.js";
import { InvalidArgumentError } from "./errors/local-errors.js";
import type { Call, RequestOptions } from "./request/call.js";
import { mergeOptions } from "./request/settings.js";
import { assertOptions } from "#type-checks";

/** The members that every client has, whatever its resources. */
export class BareClient extends CoreOwner {
  constructor(core: Core) {
    super(core);
    for (const [name, Class] of Object.entries(core.classes)) Reflect.set(this, name, new Class(core));
  }

  /**
   * Sends one call, of this contract or a newer one, and returns the body as it is, including the `data` envelope; undefined for an empty
   * body. Throws `ApiError` for a response whose status is not 2xx, `ConnectionError` (or its subclass `TimeoutError`) when no complete
   * response arrived, `TokenError` when there was no credential to send, `InvalidArgumentError` for values that a request cannot carry, and
   * the reason of `options.signal` when that is aborted.
   */
  request<T = unknown>(call: Call, options?: RequestOptions): ApiPromise<T> {
    // The caller names the type of the body.
    return this.core().request(call, options, (body) => ({ value: body as T }));
  }

  /**
   * Returns a client whose calls have these options by default, such as one for a request that a server handles for a customer. It shares
   * the transport and all other options of this client, which does not change.
   *
   * ```ts
   * const customer = client.withOptions({ token: customerToken, signal: request.signal, timeoutMs: 10_000 });
   * const project = await customer.projects.get("proj_1");
   * ```
   *
   * `headers` are added to the headers of this client, and `middleware` runs inside it. An aborted `signal` ends every call, wait and
   * `ensure` of the returned client, as does the `signal` of this client or of the call itself. Throws `InvalidArgumentError` for an option
   * that does not exist or is not valid.
   */
  withOptions(options: RequestOptions): this {
    assertOptions(options, "withOptions", () => InvalidArgumentError);
    // The constructors of all clients have the same parameters.
    const Client = this.constructor as new (core: Core) => this;
    const { settings, classes } = this.core();
    return new Client(createCoreWithSettings(mergeOptions(settings, options, "withOptions"), classes));
  }
}
