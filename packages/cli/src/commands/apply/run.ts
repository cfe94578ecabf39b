import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../context.js";
import type { Failure } from "../../errors/failure.js";
import { applyFailed, outdatedPlan, planOfOtherService } from "../../errors/manifest-errors.js";
import { nameOf } from "../../manifest/entry.js";
import { changesSince, type Plan, type Step } from "../../manifest/plan.js";
import { baseUrlOf, planFromFile } from "../../manifest/plan-from-file.js";
import { readState } from "../../manifest/read-state.js";
import { renderPlan } from "../../manifest/render-plan.js";
import { StepRunner } from "../../manifest/run-steps.js";
import { waitForResource } from "../../operations/wait-for-resource.js";
import type { DryRunFormat } from "../../program/dry-run-option.js";
import { connect } from "../../service/connect.js";
import { printRequests, SequenceDryRun } from "../../service/dry-run.js";
import { type Applied, applySteps, type ApprovalWait } from "./apply-steps.js";
import { readPlan } from "./read-plan.js";

export interface ApplyOptions {
  readonly planFile: string | undefined;
  readonly file: string | undefined;
  readonly prune: boolean;
  readonly dryRun: DryRunFormat | undefined;
  /** How long to wait for each database that was created. Absent for not at all. */
  readonly waitMs?: number;
  readonly waitApproval?: { readonly timeoutMs?: number };
}

/** What became of one step. */
export interface StepResult {
  readonly status: "done" | "failed" | "skipped";
  readonly action: Step["action"];
  readonly resource: string;
  readonly name: string;
  readonly id: string | null;
  readonly error?: Omit<Failure, "exitCode">;
}

/** Applies a saved plan, or a manifest. */
export const runApply = async (
  options: ApplyOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output } = context;
  const client = await connect(flags, context);
  const plan = await currentPlan(options, client, flags, context);
  if (options.dryRun !== undefined) return dryRun(plan, options.dryRun, flags, context);
  for (const line of renderPlan(plan)) output.info(line);
  await confirmDeletes(plan, flags, context);
  const wait = options.waitApproval && (await approvalWait(options.waitApproval, context));
  try {
    const applied = await applySteps(plan, client, wait, context);
    const unsettled = await waitForDatabases(applied, options.waitMs, client, context);
    await printResults(plan, applied, context);
    if (unsettled) throw unsettled.error;
  } finally {
    wait?.progress.end();
  }
};

/** Waits until all databases that were created are ready. Returns what went wrong: the results are printed in any case. */
const waitForDatabases = async (
  { ids }: Applied,
  waitMs: number | undefined,
  client: MgmtClient,
  context: Context,
): Promise<{ readonly error: unknown } | undefined> => {
  if (waitMs === undefined) return undefined;
  for (const [step, id] of ids) {
    if (step.action !== "create" || step.resource !== "database") continue;
    const failed = await waitForResource(
      { id },
      { for: "database" },
      { target: {} },
      waitMs,
      client,
      context,
    );
    if (failed) return failed;
  }
  return undefined;
};

const approvalWait = async (
  options: { readonly timeoutMs?: number },
  { output }: Context,
): Promise<ApprovalWait> => {
  const { ApprovalProgress } = await import("../../service/approval-progress.js");
  return { ...options, progress: new ApprovalProgress(output) };
};

const currentPlan = async (
  { planFile, file, prune }: ApplyOptions,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<Plan> => {
  if (planFile === undefined) return planFromFile(file, prune, client, flags, context);
  const plan = readPlan(await context.sources.read(planFile, "<plan>"), planFile);
  const baseUrl = await baseUrlOf(flags, context);
  if (plan.baseUrl !== baseUrl) throw planOfOtherService(plan.baseUrl, baseUrl);
  const changes = changesSince(plan, await readState(client, plan.projects, context.signal));
  if (changes.length > 0) throw outdatedPlan(changes);
  return plan;
};

const confirmDeletes = async ({ steps }: Plan, { yes }: GlobalFlags, context: Context): Promise<void> => {
  const deleted = steps.filter(({ action }) => action === "delete");
  if (deleted.length === 0 || yes) return;
  const { confirm } = await import("../../input/confirm.js");
  await confirm(`delete ${deleted.map(nameOf).join(", ")}`, context);
};

/** Prints what became of every step. Throws if not all are done. */
const printResults = async (
  { steps }: Plan,
  { ids, errors }: Applied,
  { output, signal }: Context,
): Promise<void> => {
  const results: StepResult[] = [];
  const problems: string[] = [];
  for (const step of steps) {
    const { action, resource, path } = step;
    const about = { action, resource, name: path.join("/") };
    const id = ids.get(step) ?? (step.action === "create" ? null : step.id);
    if (ids.has(step)) results.push({ status: "done", ...about, id });
    else if (!errors.has(step)) results.push({ status: "skipped", ...about, id });
    else {
      const { exitCode: _, ...failure } = await output.failureOf(errors.get(step));
      results.push({ status: "failed", ...about, id, error: failure });
      problems.push(`${action} ${nameOf(step)} failed: ${failure.message} (${failure.code})`);
    }
  }
  const [error] = errors.values();
  if (output.format !== "table" || errors.size > 0) await output.result(results.map(inFormat(output.format)));
  signal.throwIfAborted();
  if (errors.size === 0) return;
  throw ids.size === 0 ? error : applyFailed(problems.join("; "), ids.size, steps.length);
};

/** The table has no room for the error, which is printed below it. */
const inFormat =
  (format: string) =>
  ({ error, ...result }: StepResult): object =>
    format === "table" || !error ? result : { ...result, error };

/** Prints the requests of all steps. The ids of what they create get names. */
const dryRun = async (
  plan: Plan,
  format: DryRunFormat,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { requests, middleware } = new SequenceDryRun();
  const client = await connect(flags, context, { middleware: [middleware] });
  const runner = new StepRunner(client, plan, context, false);
  for (const step of plan.steps) await runner.run(step);
  await printRequests(requests, format, [], context);
};
