import { setTimeout as sleep } from "node:timers/promises";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { slowStopError, unstoppableDevError } from "../../errors/dev-errors.js";
import type { Context } from "../../input/context.js";
import { describeDev } from "../../profiles/describe-dev.js";
import { findFolderStack } from "../../profiles/folder-stack.js";
import { readDevLiveness } from "../../profiles/profile.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";
import { listRunningServices, type RunningService, type ServiceEntry } from "./running-services.js";

/** How long to wait for a service that finishes its work, in milliseconds. */
const stopTimeoutMs = 60_000;

/**
 * Stops the service of the folder, or every one, and prints those that it has stopped.
 *
 * @throws `dev:not_stopped` after the others were stopped.
 */
export const runDevStop = async (
  stopsAll: boolean,
  context: Pick<Context, "env" | "cwd" | "output" | "signal">,
): Promise<void> => {
  const { env, cwd, output } = context;
  const stack = findFolderStack(readProfiles(getProfilesPath(env)), cwd);
  const entries = (await listRunningServices(context)).filter(
    ({ service }) => stopsAll || service.profile === stack?.profileName,
  );
  if (entries.length === 0)
    output.info(stopsAll ? "No mgmt dev is running." : "No mgmt dev --here of this folder is running.");
  const results = await Promise.allSettled(
    entries.map(async (entry): Promise<RunningService> => {
      await stopService(entry, context);
      const { folder, pid } = entry.service;
      output.info(`Stopped the mgmt dev ${folder === null ? "" : `of ${folder} `}(process ${String(pid)}).`);
      return entry.service;
    }),
  );
  if (output.format !== "table")
    await output.writeResult(
      results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
      "RunningService",
    );
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
};

/** The start of the process is compared before it gets a signal, because the system reuses process ids. */
const stopService = async (
  { profile, service: { pid } }: ServiceEntry,
  { signal }: Pick<Context, "signal">,
): Promise<void> => {
  const description = describeDev(profile);
  const liveness = readDevLiveness(profile);
  if (liveness === "dead") return;
  if (liveness === "unknown")
    throw unstoppableDevError(
      description,
      "its process cannot be seen, for example because it is in a container",
    );
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if (readErrorCode(error) === "ESRCH") return;
    throw unstoppableDevError(description, error);
  }
  const deadlineMs = performance.now() + stopTimeoutMs;
  while (readDevLiveness(profile) !== "dead") {
    if (performance.now() > deadlineMs) throw slowStopError(description, pid, stopTimeoutMs / 1_000);
    await sleep(50, undefined, { signal });
  }
};
