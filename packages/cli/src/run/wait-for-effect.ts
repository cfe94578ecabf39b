import type { MgmtClient, WaitOptions } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { isObject, getAtPath } from "../json/json-path.js";
import type { WaitRule } from "../contract/command-override.js";

/** How a command waits for a goal, and how it reports the wait. */
interface WaitDefinition {
  readonly noun: string;
  /** The status that ends it. */
  readonly reachedStatus: string;
  /** Predicate of the noun at a status: `is ready`. */
  readonly describeStatus: (status: string) => string;
  /** The message after an interrupted wait. */
  readonly continuesText: string;
  /** The command that shows the status. None can read a project that was transferred. */
  readonly getCommand?: readonly string[];
  readonly wait: (
    client: MgmtClient,
    id: string,
    body: Readonly<Record<string, unknown>>,
    options: WaitOptions<{ status: string }>,
  ) => Promise<unknown>;
}

const formatIsStatus = (status: string): string => `is ${status}`;

const waitByGoal: Readonly<Record<WaitRule["for"], WaitDefinition>> = {
  database: {
    noun: "Database",
    reachedStatus: "ready",
    describeStatus: formatIsStatus,
    continuesText: "Provisioning continues in the background.",
    getCommand: ["databases", "get"],
    wait: (client, id, _body, options) => client.databases.waitUntilReady(id, options),
  },
  deployment: {
    noun: "Deployment",
    reachedStatus: "running",
    describeStatus: formatIsStatus,
    continuesText: "The deployment continues in the background.",
    getCommand: ["deployments", "get"],
    wait: (client, id, _body, options) => client.deployments.waitUntilRunning(id, options),
  },
  stop: {
    noun: "Deployment",
    reachedStatus: "stopped",
    describeStatus: formatIsStatus,
    continuesText: "The deployment continues to stop in the background.",
    getCommand: ["deployments", "get"],
    wait: (client, id, _body, options) => client.deployments.waitUntilStopped(id, options),
  },
  promotion: {
    noun: "Service",
    reachedStatus: "promoted",
    describeStatus: (status) => `has ${status === "promoted" ? "" : "not yet "}promoted the deployment`,
    continuesText: "The promotion continues in the background.",
    getCommand: ["services", "get"],
    wait: (client, id, { deploymentId, versionId }, options) =>
      client.services.waitUntilPromoted(id, String(deploymentId ?? versionId), options),
  },
  transfer: {
    noun: "Project",
    reachedStatus: "transferred",
    describeStatus: (status) =>
      `has ${status === "transferred" ? "" : "not yet "}arrived in the other workspace`,
    continuesText: "The transfer continues in the background.",
    wait: (client, id, { recipientAccessToken }, options) =>
      client.projects.waitUntilTransferred(id, String(recipientAccessToken), options),
  },
};

/** The request whose effect is waited for. */
interface SentRequest {
  readonly target: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Waits with the SDK's waiter until the effect of a request has settled, and updates the status in the response. Shows a spinner with
 * the elapsed time on a terminal, and a line for each status.
 *
 * @returns The error, if there is one. It is not thrown, because the response must be printed in any case.
 */
export const waitForEffect = async (
  response: object,
  { for: goal, at: resourcePath = [], parameter }: WaitRule,
  { target, body }: SentRequest,
  timeoutMs: number,
  client: MgmtClient,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<{ error: unknown } | undefined> => {
  const { noun, reachedStatus, describeStatus, getCommand, continuesText, wait } = waitByGoal[goal];
  const resource = getAtPath(response, resourcePath);
  const id = parameter === undefined ? getAtPath(resource, ["id"]) : target[parameter];
  if (!isObject(resource) || typeof id !== "string") {
    output.info(`No ${goal} was created, so there is nothing to wait for.`);
    return undefined;
  }
  let status = typeof resource["status"] === "string" ? resource["status"] : undefined;
  if (status === reachedStatus) return undefined;
  const startMs = performance.now();
  const startSpinner = (): (() => void) =>
    output.startSpinner(() => `${status ?? "waiting"}, ${formatElapsed(performance.now() - startMs)}`);
  output.info(
    status === undefined
      ? `Waiting until ${noun.toLowerCase()} ${id} ${describeStatus(reachedStatus)}.`
      : `${noun} ${id} ${describeStatus(status)}. Waiting until it ${describeStatus(reachedStatus)}.`,
  );
  let stopSpinner = startSpinner();
  const onProgress = (progress: { status: string }): void => {
    if (progress.status === status) return;
    status = progress.status;
    if (resource["status"] !== undefined) resource["status"] = status;
    stopSpinner();
    output.info(`${noun} ${id} ${describeStatus(status)}.`);
    stopSpinner = startSpinner();
  };
  const options = { timeoutMs, signal, onProgress };
  try {
    await wait(client, id, body ?? {}, options);
    return undefined;
  } catch (error) {
    // Before the notice, which would be printed into its line.
    stopSpinner();
    if (signal.aborted) {
      const next = getCommand === undefined ? [] : [["mgmt", ...getCommand, id]];
      const statusHint = next.map((words) => ` ${words.join(" ")} shows its status.`).join("");
      output.notice({ code: "wait:interrupted", message: `${continuesText}${statusHint}`, id, next });
    }
    return { error };
  } finally {
    stopSpinner();
  }
};

/** `1:05` */
const formatElapsed = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1_000);
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, "0")}`;
};
