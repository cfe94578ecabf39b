// `plain-limit.ts` replaces this file in runtimes other than Node.js and has the same exports.
import type { Limit, LimitClass, DeadlineOptions } from "./limit.js";
import { pooledTimers } from "./timer-pool.js";
import type { Timers } from "./timers.js";

/**
 * The part of an `AbortSignal` that `nodeTransport` uses. It has one listener at most, because a call sends one request at a time.
 */
export interface LightSignal {
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The options that decide which code receives the signal of a call. */
interface SignalReceiverOptions {
  transport?: { readonly send: object };
  middleware?: readonly unknown[];
  debug?: unknown;
}

const sendersOfLightSignals = new WeakSet<object>();

/** Marks the `send` of a transport that uses only the members of `LightSignal`, and does not keep the signal after the request. */
export const acceptLightSignals = (send: object): void => void sendersOfLightSignals.add(send);

/**
 * Aborts a call, like an `AbortController`. To create an `AbortController` costs more than everything else that the SDK does for a call, so
 * this class creates one only for code that needs a real `AbortSignal`.
 */
class LightLimit implements Limit, LightSignal {
  /** Whether the transport alone receives the signal, and needs no more of it than `LightSignal`. */
  readonly canPassLightSignal: boolean;
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #listener: (() => void) | undefined;

  constructor({ transport, middleware = [], debug }: DeadlineOptions & SignalReceiverOptions) {
    this.canPassLightSignal =
      !!transport && sendersOfLightSignals.has(transport.send) && middleware.length === 0 && !debug;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#listener?.();
    this.#controller?.abort(reason);
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#reason) throw this.#reason;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(): void {
    this.#listener = undefined;
  }
}

/** Returns the class whose instances abort calls: `LightLimit`, instead of the class that uses `AbortController`. */
export const selectAborterClass: (plainClass: LimitClass) => LimitClass = () => LightLimit;

/** Returns an object with the signal for the transport. */
export const selectTransportSignal = (limit: Limit): Pick<Limit, "signal"> =>
  limit instanceof LightLimit && limit.canPassLightSignal
    ? // The transport uses it as a `LightSignal`.
      { signal: limit as LightSignal as AbortSignal }
    : limit;

/** Returns timers that cost less than the platform's timers. */
export const selectTimers: (platformTimers: Timers) => Timers = () => pooledTimers;
