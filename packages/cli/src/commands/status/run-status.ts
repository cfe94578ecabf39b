import { setTimeout as sleep } from "node:timers/promises";
import type { Context, GlobalFlags } from "../../input/context.js";
import { exitCodes } from "../../errors/exit-codes.js";
import { usageError } from "../../errors/usage-errors.js";
import { selectProfile } from "../../profiles/active-profile.js";
import { findProtection } from "../../profiles/protection.js";
import { describeCopies } from "../../profiles/describe-dev.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { connectWithAccess } from "../../service/connect.js";
import { formatBytes } from "../../output/bytes.js";
import { toPrintable } from "../../output/printable.js";
import { getMgmtCommand } from "../../text/mgmt-command.js";
import { wrapBeside } from "../../output/wrap.js";
import { resolveGitContext } from "../../git/repository.js";
import { describeChanges } from "./changes.js";
import { gatherStatus, type StatusResult } from "./gather-status.js";

export interface StatusOptions {
  readonly projectId: string | undefined;
  /** How often to ask again. Undefined shows the status once. */
  readonly intervalMs: number | undefined;
}

/** Moves to the first line and clears the screen from there, so that the next output replaces it. */
const clearScreenSequence = "\u001b[H\u001b[J";

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
  const client = await connectWithAccess(access, context);
  const service = access.baseUrl?.value ?? "";
  const { name } = selectProfile(flags, context);
  const profile = name ? { name: name.value, from: name.from } : null;
  const protectedBy = findProtection(flags, context) ?? null;
  // Without a repository there is no preview to show.
  const gitContext = await resolveGitContext(undefined, context).catch(() => undefined);
  signal.throwIfAborted();
  const gitProblem = gitContext?.problem;
  if (gitProblem && gitProblem.code !== "preview:no_git")
    await output.warn({ code: gitProblem.code, message: gitProblem.message });
  const loadStatus = (): Promise<StatusResult> =>
    gatherStatus(projectId, { client, service, profile, protectedBy }, gitContext, flags, context);
  const printsText = format === "table" && !presentation.fields && !presentation.query;
  if (intervalMs !== undefined) return watchStatus(loadStatus, intervalMs, printsText, context);
  const status = await loadStatus();
  return printsText ? printStatus(status, context) : output.writeResult(status, "StatusResult");
};

/**
 * Prints the status now, and whenever it has changed, until a signal. Warns once while the status cannot be read.
 *
 * @param printsText whether to print text for a terminal instead of JSON.
 */
const watchStatus = async (
  loadStatus: () => Promise<StatusResult>,
  intervalMs: number,
  printsText: boolean,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  let status = await loadStatus();
  // A pager would wait for keys.
  output.presentation = { ...output.presentation, pager: false };
  const redrawsScreen = printsText && output.isTerminal && output.canAnimate;
  const printUpdate = async (lines: readonly string[] | undefined): Promise<void> => {
    if (!printsText) return output.writeJsonLine(status);
    if (redrawsScreen || lines === undefined)
      return printStatus(status, context, redrawsScreen ? clearScreenSequence : "");
    for (const line of lines) output.writeText(toPrintable(line));
  };
  await printUpdate(undefined);
  output.announcesDelays = false;
  let lastProblem: ServiceProblem | undefined;
  try {
    for (;;) {
      await sleep(intervalMs, undefined, { signal });
      const statusBefore = status;
      try {
        status = await loadStatus();
      } catch (error) {
        signal.throwIfAborted();
        const { code, message, exitCode } = await output.describeFailure(error);
        const currentProblem = classifyProblem(exitCode);
        // The service may be back the next time. Until then, its gateway, proxy, and network may each report another error.
        if (lastProblem !== currentProblem) await output.warn({ code, message });
        lastProblem = currentProblem;
        continue;
      }
      if (lastProblem !== undefined)
        output.notice({ code: "status:back", message: "The service responds again." });
      lastProblem = undefined;
      const lines = describeChanges(statusBefore, status);
      if (lines.length > 0) await printUpdate(lines);
    }
  } catch (error) {
    // A watch has no other end.
    if (!signal.aborted) throw error;
  }
};

/** Why the status could not be read: the service cannot be reached, or there is something that only the user can correct. */
type ServiceProblem = "outage" | "access" | "notFound";

const classifyProblem = (exitCode: number): ServiceProblem => {
  if (exitCode === exitCodes.notFound) return "notFound";
  return exitCode === exitCodes.notAuthenticated || exitCode === exitCodes.forbidden ? "access" : "outage";
};

/** @param prefix printed directly before it. */
const printStatus = async (status: StatusResult, { output, env }: Context, prefix = ""): Promise<void> => {
  const { service, profile, protectedBy, project, databases, preview, waitingApprovals } = status;
  const copies = describeCopies(status.copyMethod);
  const style = await output.loadStyle();
  const columns = output.isTerminal ? output.helpWidth : Infinity;
  const mgmt = getMgmtCommand(env).join(" ");
  const renderLine = (title: string, text: string): string =>
    wrapBeside(style.strong(title) + " ".repeat(10 - title.length), toPrintable(text), columns);
  const region = project?.region ? ` in ${project.region}` : "";
  const lines = [
    renderLine("Service", service),
    ...(profile ? [renderLine("Profile", `${profile.name}, from ${profile.from}`)] : []),
    ...(protectedBy === null ? [] : [renderLine("Protected", `by ${protectedBy}`)]),
    renderLine(
      "Project",
      project
        ? `${project.name} (${project.id})${region}, from ${project.from}`
        : `none: ${mgmt} link chooses one for this folder`,
    ),
    ...(preview
      ? [renderLine("Preview", `${preview.branch}: ${preview.databaseId}, ${preview.status}`)]
      : []),
    ...(copies === undefined ? [] : [renderLine("Copies", copies)]),
    ...(waitingApprovals
      ? [renderLine("Approvals", `${String(waitingApprovals)} waiting: ${mgmt} dev approvals list`)]
      : []),
  ];
  output.writeWrapped(prefix + lines.join("\n"));
  if (databases.length === 0) return project ? output.info("It has no database.") : undefined;
  output.writeText("");
  const rows = databases.map(({ sizeBytes, ...database }) => ({
    ...database,
    size: sizeBytes === null ? "" : formatBytes(sizeBytes),
  }));
  await output.writeList([rows], "DatabaseStatus");
};
