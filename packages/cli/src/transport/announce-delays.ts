import type { RetryEvent } from "@mgmt/sdk";
import type { Output } from "../output/output.js";
import type { Transport } from "../sdk/sdk.js";

/** Wraps a transport: a request without a response after a second is announced on standard error. */
export const addSlownessNotices = (transport: Transport, output: Output): Transport => ({
  async send(request) {
    const message = `Still waiting for a response from ${new URL(request.url).host}.`;
    const timer = setTimeout(
      () => announce({ code: "request:slow", message }, output),
      output.slowRequestMs,
    ).unref();
    try {
      return await transport.send(request);
    } finally {
      clearTimeout(timer);
    }
  },
});

/** Announces on standard error that a request is sent again, if the call takes more than a second with the pause before it. */
export const announceRetry = ({ url, attempts, pauseMs }: RetryEvent, output: Output): void => {
  const elapsedMs = attempts.reduce((sum, attempt) => sum + attempt.pauseMs + (attempt.durationMs ?? 0), 0);
  if (elapsedMs + pauseMs < output.slowRequestMs) return;
  const { host } = new URL(url);
  const { status, reason } = attempts.at(-1) ?? {};
  const problem =
    status === undefined
      ? `The connection to ${host} failed (${reason ?? "unknown reason"}).`
      : `${host} responded with status ${String(status)}.`;
  const seconds = Math.round(pauseMs / 1_000);
  const plan = `The request is sent again${seconds > 0 ? ` in ${String(seconds)} s` : ""}.`;
  announce({ code: "request:retried", message: `${problem} ${plan}` }, output);
};

const announce = (notice: { code: string; message: string }, output: Output): void => {
  // A spinner shows that the command waits.
  if (!output.isSpinning && output.announcesDelays) output.notice(notice);
};
