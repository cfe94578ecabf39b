import { setTimeout as sleep } from "node:timers/promises";
import type { Context, GlobalFlags } from "../../input/context.js";
import { exitCodes } from "../../errors/exit-codes.js";
import { usageError } from "../../errors/usage-errors.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { connectTo } from "../../service/connect.js";
import { formatBytes } from "../../output/bytes.js";
import { printable } from "../../output/printable.js";
import { wrapBeside } from "../../output/wrap.js";
import { gitContextOf } from "../../git/repository.js";
import { changesBetween } from "./changes.js";
import { gatherStatus, type StatusResult } from "./gather-status.js";

export interface StatusOptions {
  readonly projectId: string | undefined;
  /** How often to ask again. Undefined shows the status once. */
  readonly intervalMs: number | undefined;
}

/** Moves to the first line and clears the screen from there, so that the next output replaces it. */
const home = "\u001b[H\u001b[J";

/** Prints the settings of commands in this folder, once or until a signal, after which a watch ends with 0. */
export const runStatus = async (
  { projectId, intervalMs }: StatusOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const { format, presentation } = output;
  if (intervalMs !== undefined && format !== "table" && format !== "json" && format !== "ndjson") {
    throw usageError("mgmt status --watch writes text or JSON", "Use --output json.");
  }
  const access = await resolveAccess(flags, context);
  const client = await connectTo(access, context);
  const service = access.baseUrl?.value ?? "";
  // Without a repository there is no preview to show.
  const gitContext = await gitContextOf(undefined, context).catch(() => undefined);
  signal.throwIfAborted();
  const refusal = gitContext?.problem;
  if (refusal && refusal.code !== "preview:no_git")
    await output.warn({ code: refusal.code, message: refusal.message });
  const gather = (): Promise<StatusResult> =>
    gatherStatus(projectId, { client, service }, gitContext, flags, context);
  let status = await gather();
  const isText = format === "table" && !presentation.fields && !presentation.query;
  if (intervalMs === undefined) {
    return isText ? printStatus(status, context) : output.result(status, "StatusResult");
  }
  // A pager would wait for keys.
  output.presentation = { ...presentation, pager: false };
  const redraws = isText && output.isTerminal && output.canAnimate;
  const show = async (lines: readonly string[] | undefined): Promise<void> => {
    if (!isText) return output.jsonLine(status);
    if (redraws || lines === undefined) return printStatus(status, context, redraws ? home : "");
    for (const line of lines) output.text(printable(line));
  };
  await show(undefined);
  output.announcesDelays = false;
  let problem: Problem | undefined;
  try {
    for (;;) {
      await sleep(intervalMs, undefined, { signal });
      const before = status;
      try {
        status = await gather();
      } catch (error) {
        signal.throwIfAborted();
        const { code, message, exitCode } = await output.failureOf(error);
        const next = problemOf(exitCode);
        // The service may be back the next time. Until then, its gateway, proxy, and network may each say something else.
        if (problem !== next) await output.warn({ code, message });
        problem = next;
        continue;
      }
      if (problem !== undefined)
        output.notice({ code: "status:back", message: "The service responds again." });
      problem = undefined;
      const lines = changesBetween(before, status);
      if (lines.length > 0) await show(lines);
    }
  } catch (error) {
    // A watch has no other end.
    if (!signal.aborted) throw error;
  }
};

/** Why a look at the service failed: it is away, or there is something that only a person can correct. */
type Problem = "outage" | "access" | "notFound";

const problemOf = (exitCode: number): Problem => {
  if (exitCode === exitCodes.notFound) return "notFound";
  return exitCode === exitCodes.notAuthenticated || exitCode === exitCodes.forbidden ? "access" : "outage";
};

/** @param prefix Printed directly before it. */
const printStatus = async (status: StatusResult, { output }: Context, prefix = ""): Promise<void> => {
  const { service, project, databases, preview, waitingApprovals } = status;
  const style = await output.style();
  const columns = output.isTerminal ? output.helpWidth : Infinity;
  const line = (title: string, text: string): string =>
    wrapBeside(style.strong(title) + " ".repeat(10 - title.length), printable(text), columns);
  const region = project?.region ? ` in ${project.region}` : "";
  const lines = [
    line("Service", service),
    line(
      "Project",
      project
        ? `${project.name} (${project.id})${region}, from ${project.from}`
        : "none: mgmt link chooses one for this folder",
    ),
    ...(preview ? [line("Preview", `${preview.branch}: ${preview.databaseId}, ${preview.status}`)] : []),
    ...(waitingApprovals
      ? [line("Approvals", `${String(waitingApprovals)} waiting: mgmt dev approvals list`)]
      : []),
  ];
  output.wrapped(prefix + lines.join("\n"));
  if (databases.length === 0) return project ? output.info("It has no database.") : undefined;
  output.text("");
  const rows = databases.map(({ sizeBytes, ...database }) => ({
    ...database,
    size: sizeBytes === null ? "" : formatBytes(sizeBytes),
  }));
  await output.list([rows], "DatabaseStatus");
};
