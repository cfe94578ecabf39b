import type { Output } from "../output/output.js";
import type { nodeTransport } from "./sdk.js";

/** Sends requests. */
export type Transport = Pick<ReturnType<typeof nodeTransport>, "send">;

/** A request that finishes in this time is never announced. */
const patienceMs = 1_000;

/** Statuses after which the SDK sends a request again. */
const transientStatuses: readonly number[] = [408, 429, 502, 503, 504];

/** The attempts of a request so far. */
interface Attempts {
  readonly start: number;
  readonly problem: string;
}

/** Wraps a transport: a request that takes more than a second, or is sent again after that, is announced on standard error. */
export const announceDelays = (transport: Transport, output: Output): Transport => {
  const failed = new Map<string, Attempts>();
  const say = (code: string, message: string): void => {
    // A spinner shows that the command waits.
    if (!output.isSpinning) output.notice({ code, message });
  };
  return {
    async send(request) {
      const { method, url } = request;
      const { host } = new URL(url);
      const key = `${method} ${url}`;
      const earlier = failed.get(key);
      const start = earlier?.start ?? performance.now();
      const announce = (): void =>
        earlier
          ? say("request:retried", `${earlier.problem} The request was sent again.`)
          : say("request:slow", `Still waiting for a response from ${host}.`);
      const waited = performance.now() - start;
      if (waited >= patienceMs) announce();
      const timer = waited < patienceMs ? setTimeout(announce, patienceMs - waited).unref() : undefined;
      try {
        const response = await transport.send(request);
        if (transientStatuses.includes(response.status)) {
          failed.set(key, { start, problem: `${host} responded with status ${String(response.status)}.` });
        } else failed.delete(key);
        return response;
      } catch (error) {
        failed.set(key, { start, problem: `The connection to ${host} failed.` });
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
};
