import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../context.js";
import { isObject, valueAt } from "../json-path.js";
import type { WaitRule } from "./overlay.js";

interface Kind {
  readonly noun: string;
  readonly reached: string;
  /** Words of the command that shows the status. */
  readonly get: readonly string[];
  /** What a wait that is interrupted leaves behind. */
  readonly continues: string;
}

const kinds: Readonly<Record<WaitRule["for"], Kind>> = {
  database: {
    noun: "Database",
    reached: "ready",
    get: ["databases", "get"],
    continues: "Provisioning continues in the background.",
  },
  deployment: {
    noun: "Deployment",
    reached: "running",
    get: ["deployments", "get"],
    continues: "The deployment continues in the background.",
  },
};

/**
 * Waits with the SDK's waiter until a new resource is ready, and updates its status in the response. Shows a spinner with
 * the elapsed time on a terminal, and a line for each status.
 *
 * @param target The path parameters of the request.
 * @returns What went wrong. It is not thrown, because the response must be printed in any case.
 */
export const waitForResource = async (
  response: object,
  { for: kind, at = [], parameter }: WaitRule,
  target: Readonly<Record<string, string>>,
  timeoutMs: number,
  client: MgmtClient,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<{ error: unknown } | undefined> => {
  const { noun, reached, get, continues } = kinds[kind];
  const resource = valueAt(response, at);
  const id = parameter === undefined ? valueAt(resource, ["id"]) : target[parameter];
  if (!isObject(resource) || typeof id !== "string") {
    output.info(`No ${kind} was created, so there is nothing to wait for.`);
    return undefined;
  }
  let status = typeof resource["status"] === "string" ? resource["status"] : undefined;
  if (status === reached) return undefined;
  const start = performance.now();
  const spin = (): (() => void) =>
    output.startSpinner(() => `${status ?? "waiting"}, ${elapsed(performance.now() - start)}`);
  output.info(
    status === undefined
      ? `Waiting until ${kind} ${id} is ${reached}.`
      : `${noun} ${id} is ${status}. Waiting until it is ${reached}.`,
  );
  let stop = spin();
  const onProgress = (seen: { status: string }): void => {
    if (seen.status === status) return;
    status = seen.status;
    if (resource["status"] !== undefined) resource["status"] = status;
    stop();
    output.info(`${noun} ${id} is ${status}.`);
    stop = spin();
  };
  const options = { timeoutMs, signal, onProgress };
  try {
    await (kind === "database"
      ? client.databases.waitUntilReady(id, options)
      : client.deployments.waitUntilRunning(id, options));
    return undefined;
  } catch (error) {
    stop();
    if (signal.aborted) {
      const next = ["mgmt", ...get, id];
      const message = `${continues} ${next.join(" ")} shows its status.`;
      output.notice({ code: "wait:interrupted", message, id, next: [next] });
    }
    return { error };
  } finally {
    stop();
  }
};

/** `1:05` */
const elapsed = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1_000);
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, "0")}`;
};
