import { ApiError, ConnectionError, type MgmtClient, createClient } from "@mgmt/sdk";
import { within } from "./machine-time.js";
import type { MgmtDev } from "./mgmt-dev.js";
import type { Outcome } from "./outcome.js";
import { Hang, Violation } from "./violation.js";

/** The longest time that a call may take, in milliseconds. Only a defect exceeds it. */
const deadline = 60_000;

/** The deadline of the client itself, which must not end a call on a busy machine. */
const timeoutMs = 3_600_000;

const inTime = <T>(what: string, work: Promise<T>): Promise<T> =>
  within(deadline, work, () => new Hang(`${what} through the SDK does not end`));

/** @param attempts to which the client adds what came of each attempt that it repeats. */
const clientOf = (dev: MgmtDev, token: string, attempts: string[] = []): MgmtClient =>
  createClient({
    baseUrl: dev.ready.baseUrl,
    token,
    maxRetries: 1_000,
    timeoutMs,
    onRetry: ({ attempts: all }) =>
      attempts.splice(0, attempts.length, ...all.map((each) => JSON.stringify(each))),
  });

/**
 * Deletes through the SDK, which sends the request until it has an outcome.
 *
 * @throws Violation for any error but that a rule refuses the deletion.
 */
export const deleteWithSdk = async (
  dev: MgmtDev,
  token: string,
  work: (client: MgmtClient) => Promise<unknown>,
): Promise<Outcome> => {
  const attempts: string[] = [];
  try {
    await inTime("A deletion", work(clientOf(dev, token, attempts)));
    return { type: "acknowledged", meaning: "done", body: {} };
  } catch (error) {
    if (error instanceof ApiError && error.code === "project:has_dependencies")
      return { type: "refused", meaning: "refused" };
    throw violationOf(
      `A deletion through the SDK (attempts before: ${attempts.join(", ") || "none"})`,
      error,
    );
  }
};

/** Rotates through the SDK, which repeats the request only if nothing was done. */
export const rotateWithSdk = async (dev: MgmtDev, token: string, id: string): Promise<Outcome> => {
  try {
    const data = await inTime("A rotation", clientOf(dev, token).connections.rotate(id));
    return { type: "acknowledged", meaning: "done", body: { data } };
  } catch (error) {
    if (error instanceof ConnectionError) return { type: "unanswered", meaning: "cut" };
    if (error instanceof ApiError && error.status === 503)
      return { type: "unanswered", meaning: "503, unknown" };
    if (error instanceof ApiError && error.status < 500) return { type: "refused", meaning: "refused" };
    throw violationOf("A rotation through the SDK", error);
  }
};

const violationOf = (what: string, error: unknown): Violation =>
  error instanceof Violation
    ? error
    : new Violation(
        `${what} failed: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      );
