import type { MgmtClient, WaitOptions } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { isObject, valueAt } from "../json/json-path.js";
import type { WaitRule } from "../contract/command-override.js";

/** How a wait is described and done. */
interface Wait {
  readonly noun: string;
  /** The status that ends it. */
  readonly reached: string;
  /** Predicate of the noun at a status: `is ready`. */
  readonly predicate: (status: string) => string;
  /**
   * The message after an interrupted wait, and below it the command that shows the status. The caller cannot read a transferred project.
   */
  readonly continues: string;
  readonly get?: readonly string[];
  readonly run: (
    client: MgmtClient,
    id: string,
    body: Readonly<Record<string, unknown>>,
    options: WaitOptions<{ status: string }>,
  ) => Promise<unknown>;
}

const is = (status: string): string => `is ${status}`;

const waits: Readonly<Record<WaitRule["for"], Wait>> = {
  database: {
    noun: "Database",
    reached: "ready",
    predicate: is,
    continues: "Provisioning continues in the background.",
    get: ["databases", "get"],
    run: (client, id, _body, options) => client.databases.waitUntilReady(id, options),
  },
  deployment: {
    noun: "Deployment",
    reached: "running",
    predicate: is,
    continues: "The deployment continues in the background.",
    get: ["deployments", "get"],
    run: (client, id, _body, options) => client.deployments.waitUntilRunning(id, options),
  },
  stop: {
    noun: "Deployment",
    reached: "stopped",
    predicate: is,
    continues: "The deployment continues to stop in the background.",
    get: ["deployments", "get"],
    run: (client, id, _body, options) => client.deployments.waitUntilStopped(id, options),
  },
  promotion: {
    noun: "Service",
    reached: "promoted",
    predicate: (status) => `has ${status === "promoted" ? "" : "not yet "}promoted the deployment`,
    continues: "The promotion continues in the background.",
    get: ["services", "get"],
    run: (client, id, { deploymentId, versionId }, options) =>
      client.services.waitUntilPromoted(id, String(deploymentId ?? versionId), options),
  },
  transfer: {
    noun: "Project",
    reached: "transferred",
    predicate: (status) => `has ${status === "transferred" ? "" : "not yet "}arrived in the other workspace`,
    continues: "The transfer continues in the background.",
    run: (client, id, { recipientAccessToken }, options) =>
      client.projects.waitUntilTransferred(id, String(recipientAccessToken), options),
  },
};

/** The request whose effect is waited for. */
interface Sent {
  readonly target: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Waits with the SDK's waiter until the effect of a request has settled, and updates the status in the response. Shows a spinner with
 * the elapsed time on a terminal, and a line for each status.
 *
 * @returns The error, if there is one. It is not thrown, because the response must be printed in any case.
 */
export const waitForResource = async (
  response: object,
  { for: kind, at = [], parameter }: WaitRule,
  { target, body }: Sent,
  timeoutMs: number,
  client: MgmtClient,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<{ error: unknown } | undefined> => {
  const { noun, reached, predicate, get, continues, run } = waits[kind];
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
      ? `Waiting until ${noun.toLowerCase()} ${id} ${predicate(reached)}.`
      : `${noun} ${id} ${predicate(status)}. Waiting until it ${predicate(reached)}.`,
  );
  let stop = spin();
  const onProgress = (seen: { status: string }): void => {
    if (seen.status === status) return;
    status = seen.status;
    if (resource["status"] !== undefined) resource["status"] = status;
    stop();
    output.info(`${noun} ${id} ${predicate(status)}.`);
    stop = spin();
  };
  const options = { timeoutMs, signal, onProgress };
  try {
    await run(client, id, body ?? {}, options);
    return undefined;
  } catch (error) {
    stop();
    if (signal.aborted) {
      const next = get === undefined ? [] : [["mgmt", ...get, id]];
      const status = next.map((words) => ` ${words.join(" ")} shows its status.`).join("");
      output.notice({ code: "wait:interrupted", message: `${continues}${status}`, id, next });
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
