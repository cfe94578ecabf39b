import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import type { Failure } from "../../errors/failure.js";
import {
  applyFailedError,
  applyInterruptedError,
  outdatedPlanError,
  planOfOtherServiceError,
} from "../../errors/manifest-errors.js";
import { getNonInteractiveReason } from "../../input/ask.js";
import { createAdoptionMatcher } from "../../manifest/adopt.js";
import { formatAddress } from "../../manifest/entry.js";
import { describeChangesSince, type Plan, type Step } from "../../manifest/plan.js";
import { resolveBaseUrl, createPlanFromFile } from "../../manifest/plan-from-file.js";
import { readState } from "../../manifest/read-state.js";
import { renderPlan } from "../../manifest/render-plan.js";
import { StepRunner } from "../../manifest/step-runner.js";
import { waitForEffect } from "../../run/wait-for-effect.js";
import { isPreviewEntry } from "../../preview/record.js";
import { isSameUrl } from "../../profiles/profile.js";
import type { DryRunFormat } from "../../input/dry-run-option.js";
import { connect } from "../../service/connect.js";
import { printRequests, SequenceDryRun } from "../../service/dry-run.js";
import { type ApplyOutcome, applySteps, type ApprovalWait } from "./apply-steps.js";
import { parsePlan } from "./parse-plan.js";

export interface ApplyOptions {
  readonly planFile: string | undefined;
  readonly file: string | undefined;
  readonly prune: boolean;
  readonly targets: readonly string[] | undefined;
  readonly dryRun: DryRunFormat | undefined;
  /** How long to wait for each database that was created. Absent for not at all. */
  readonly waitMs?: number;
  readonly approvalWaitOptions?: { readonly timeoutMs?: number };
}

/** What became of one step. */
export interface StepResult {
  /** `unknown`: its request was sent, but no response arrived. It may have been carried out. */
  readonly status: "done" | "failed" | "skipped" | "unknown";
  readonly action: Step["action"];
  readonly resource: string;
  readonly name: string;
  readonly id: string | null;
  /** Region of what is created. Absent if the service chooses it. */
  readonly region?: string;
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
  const plan = await loadPlan(options, client, flags, context);
  if (options.dryRun !== undefined) return printStepRequests(plan, options.dryRun, flags, context);
  await output.report((style) => renderPlan(plan, style));
  await confirmSteps(plan, options, flags, context);
  const approvalWait =
    options.approvalWaitOptions && (await createApprovalWait(options.approvalWaitOptions, context));
  try {
    const outcome = await applySteps(plan, client, approvalWait, context);
    const failedWait = await waitForDatabases(outcome, options.waitMs, client, context);
    await printResults(plan, outcome, options, context);
    if (failedWait) throw failedWait.error;
  } finally {
    approvalWait?.progress.removeSpinner();
  }
};

/** Waits until all databases that were created are ready. Returns the errors: the results are printed in any case. */
const waitForDatabases = async (
  { ids }: ApplyOutcome,
  waitMs: number | undefined,
  client: MgmtClient,
  context: Context,
): Promise<{ readonly error: unknown } | undefined> => {
  if (waitMs === undefined) return undefined;
  for (const [step, id] of ids) {
    if (step.action !== "create" || step.resource !== "database") continue;
    const failedWait = await waitForEffect(
      { id },
      { for: "database" },
      { target: {} },
      waitMs,
      client,
      context,
    );
    if (failedWait) return failedWait;
  }
  return undefined;
};

const createApprovalWait = async (
  options: { readonly timeoutMs?: number },
  { output }: Context,
): Promise<ApprovalWait> => {
  const { ApprovalProgress } = await import("../../service/approval-progress.js");
  return { ...options, progress: new ApprovalProgress(output) };
};

const loadPlan = async (
  { planFile, file, prune, targets }: ApplyOptions,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<Plan> => {
  if (planFile === undefined) {
    const options = { file, prune, targets, isPreview: isPreviewEntry };
    return createPlanFromFile(options, client, flags, context);
  }
  const plan = parsePlan(await context.sources.readInFolder(planFile, "<plan>"), planFile);
  const baseUrl = await resolveBaseUrl(flags, context);
  if (!isSameUrl(plan.baseUrl, baseUrl)) throw planOfOtherServiceError(plan.baseUrl, baseUrl);
  const { projects, adoptions } = plan;
  const identify = createAdoptionMatcher(adoptions);
  const options = { projects, identify, isPreview: isPreviewEntry, ownedEntries: plan.read };
  const changes = describeChangesSince(plan, await readState(client, options, context.signal));
  if (changes.length > 0) throw outdatedPlanError(changes);
  return plan;
};

/**
 * Asks before the steps are applied. A saved plan was reviewed when it was made, and scripts apply manifests without a terminal, so that
 * these need a confirmation only for deletions.
 */
const confirmSteps = async (
  { steps }: Plan,
  { planFile }: ApplyOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const deleteSteps = steps.filter((step) => step.action === "delete");
  const needsNoReview = planFile !== undefined || getNonInteractiveReason(context) !== undefined;
  if (steps.length === 0 || (deleteSteps.length === 0 && (needsNoReview || flags.yes))) return;
  const changesPhrase = steps.length === 1 ? "this change" : `these ${String(steps.length)} changes`;
  const deletionPhrase = `delete ${deleteSteps.map(formatAddress).join(", ")}`;
  const hasMixedActions = deleteSteps.length > 0 && deleteSteps.length < steps.length;
  if (deleteSteps.length === 0) {
    const { confirm } = await import("../../input/confirm.js");
    return confirm(`apply ${changesPhrase}`, context);
  }
  const { confirmResourceChange } = await import("../../run/confirm-resource-change.js");
  const action = hasMixedActions ? `apply ${changesPhrase}, which ${deletionPhrase}` : deletionPhrase;
  const resources = deleteSteps.map(({ id, path }) => ({ id, name: path.join("/") }));
  await confirmResourceChange({ action, resources }, flags, context);
};

/** Prints the result of every step. Throws if not all are done. */
const printResults = async (
  { steps }: Plan,
  { ids, errors, unconfirmedStep }: ApplyOutcome,
  options: ApplyOptions,
  { output, signal }: Context,
): Promise<void> => {
  const results: StepResult[] = [];
  const problems: string[] = [];
  for (const step of steps) {
    const { action, resource, path } = step;
    const id = ids.get(step) ?? (step.action === "create" ? null : step.id);
    const stepFields = { action, resource, name: path.join("/"), id, ...selectRegion(step) };
    if (ids.has(step)) results.push({ status: "done", ...stepFields });
    else if (!errors.has(step)) results.push({ status: "skipped", ...stepFields });
    else {
      const { exitCode: _, ...failure } = await output.describeFailure(errors.get(step));
      const isUnknown = unconfirmedStep === step;
      results.push({ status: isUnknown ? "unknown" : "failed", ...stepFields, error: failure });
      const outcome = isUnknown ? "may have been carried out" : "failed";
      problems.push(`${action} ${formatAddress(step)} ${outcome}: ${failure.message} (${failure.code})`);
    }
  }
  const [error] = errors.values();
  if (output.format !== "table" || ids.size < steps.length)
    await output.writeResult(results.map(createResultFormatter(output.format)));
  const planCommand = buildPlanCommand(options);
  if (signal.aborted) throw applyInterruptedError(signal.reason, ids.size, steps.length, planCommand);
  if (errors.size === 0) return;
  throw ids.size === 0 ? error : applyFailedError(problems.join("; "), ids.size, steps.length, planCommand);
};

/** Returns the command that shows what is left to do. */
const buildPlanCommand = ({ file, prune, targets = [] }: ApplyOptions): readonly string[] => [
  ...["mgmt", "plan"],
  ...(file === undefined || file === "-" ? [] : ["--file", file]),
  ...(prune ? ["--prune"] : []),
  ...targets.flatMap((target) => ["--target", target]),
];

const selectRegion = (step: Step): Pick<StepResult, "region"> => {
  const region = step.action === "create" ? step.fields["region"] : undefined;
  return typeof region === "string" && region !== "inherit" ? { region } : {};
};

/**
 * Returns the function that formats the result of a step. A table leaves out the error, which is printed below it, and the region, which
 * the plan above it has.
 */
const createResultFormatter =
  (format: string) =>
  (result: StepResult): object => {
    const { error: _, region: __, ...tableRow } = result;
    return format === "table" ? tableRow : result;
  };

/** Prints the requests of all steps. The ids of new resources get names. */
const printStepRequests = async (
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
