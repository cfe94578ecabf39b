import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../input/context.js";
import { buildInheritedEnvironment } from "../../system/find-program.js";
import {
  faultsUnusedError,
  notRecoveredError,
  rehearsedCommandFailedError,
} from "../../errors/rehearsal-errors.js";
import { diffStates, type StateDifference, isUnchanged } from "../../manifest/diff-states.js";
import { type Manifest, readManifest } from "../../manifest/read-manifest.js";
import type { ServiceState } from "../../manifest/read-state.js";
import { renderPlan } from "../../manifest/render-plan.js";
import { plainStyle } from "../../output/style.js";
import { toPrintable } from "../../output/printable.js";
import { runForExitStatus } from "../../system/run-program.js";
import { formatFault, parseFault, type RehearsedFault } from "./fault.js";
import { LocalService } from "./local-service.js";

export interface RehearseOptions {
  readonly file: string | undefined;
  readonly faults: readonly string[];
  readonly commandLine: readonly string[];
}

export interface Report {
  readonly command: readonly string[];
  /** The exit code of the command without faults. */
  readonly exitCode: number;
  /** What it changed. */
  readonly changes: StateDifference;
  readonly faults: readonly FaultReport[];
  /** Whether every fault occurred, and the command succeeded and had the same result with each of them. */
  readonly coped: boolean;
}

interface FaultReport extends RehearsedFault {
  /** Whether the command sent the request that was to fail. */
  readonly occurred: boolean;
  readonly exitCode: number;
  /**
   * `recovered`: exit code 0 and the same result as without the fault. `failed`: the command reported a failure. `wrong`: it
   * exited with 0, but with another result. `unused`: the fault did not occur, so the command was not tested with it.
   */
  readonly outcome: "recovered" | "failed" | "wrong" | "unused";
  /** What is different from the result without the fault. */
  readonly difference: StateDifference;
}

/** Runs a command against a local copy of the resources of a manifest, without faults and with each of them, and reports. */
export const runRehearse = async (
  { file, faults: faultTexts, commandLine }: RehearseOptions,
  context: Context,
): Promise<void> => {
  const faults: RehearsedFault[] = [];
  for (const faultText of faultTexts) faults.push(await parseFault(faultText));
  const manifest = await readManifest(file, context);
  const { output } = context;
  output.info("Starting a local service.");
  const service = await LocalService.start(context);
  try {
    const report = await rehearseWithFaults(commandLine, manifest, faults, service, context);
    if (output.format === "table") output.writeWrapped(renderReport(report).map(toPrintable).join("\n"));
    else await output.writeResult(report);
    if (report.exitCode !== 0) throw rehearsedCommandFailedError(report.exitCode, faults.length);
    const listFaultNames = (...outcomes: FaultReport["outcome"][]): string[] =>
      report.faults.filter(({ outcome }) => outcomes.includes(outcome)).map(formatFault);
    const [failedFaults, unusedFaults] = [listFaultNames("failed", "wrong"), listFaultNames("unused")];
    if (failedFaults.length > 0) throw notRecoveredError(failedFaults, unusedFaults, faults.length);
    if (unusedFaults.length > 0) throw faultsUnusedError(unusedFaults, faults.length);
  } finally {
    await service.stop();
  }
};

const rehearseWithFaults = async (
  commandLine: readonly string[],
  manifest: Manifest,
  faults: readonly RehearsedFault[],
  service: LocalService,
  context: Context,
): Promise<Report> => {
  const { output } = context;
  let projects = await service.loadManifest(manifest);
  const stateBefore = await service.readCurrentState();
  output.info(`Running: ${commandLine.join(" ")}`);
  const exitCode = await runAgainstService(service, projects, commandLine, context);
  const stateAfter = await service.readCurrentState();
  const reports: FaultReport[] = [];
  for (const fault of exitCode === 0 ? faults : []) {
    projects = await service.loadManifest(manifest);
    await service.addFault(fault);
    output.info(`Running with ${formatFault(fault)}: ${commandLine.join(" ")}`);
    const faultExitCode = await runAgainstService(service, projects, commandLine, context);
    const occurred = await service.hasFaultOccurred();
    // The fault must not affect the requests of the comparison.
    await service.removeFaults();
    reports.push(
      createFaultReport(fault, occurred, faultExitCode, stateAfter, await service.readCurrentState()),
    );
  }
  return {
    command: commandLine,
    exitCode,
    changes: diffStates(stateBefore, stateAfter),
    faults: reports,
    coped: exitCode === 0 && reports.every(({ outcome }) => outcome === "recovered"),
  };
};

const createFaultReport = (
  fault: RehearsedFault,
  occurred: boolean,
  exitCode: number,
  expected: ServiceState,
  actual: ServiceState,
): FaultReport => {
  const difference = diffStates(expected, actual);
  const outcome = !occurred
    ? "unused"
    : exitCode !== 0
      ? "failed"
      : isUnchanged(difference)
        ? "recovered"
        : "wrong";
  return { ...fault, occurred, exitCode, outcome, difference };
};

/** Runs the command with the URL and the token of the service, and without any profile, link or other credential. */
const runAgainstService = async (
  { baseUrl, token, workspaceId }: LocalService,
  projects: readonly string[],
  [program = "", ...args]: readonly string[],
  { cwd, env, signal, interruption }: Context,
): Promise<number> => {
  const configFolder = await mkdtemp(join(tmpdir(), "mgmt-rehearse-"));
  const [firstProject, ...otherProjects] = projects;
  try {
    const exitCode = await runForExitStatus(program, args, {
      cwd,
      env: {
        ...buildInheritedEnvironment(env),
        MGMT_BASE_URL: baseUrl,
        MGMT_TOKEN: token,
        MGMT_WORKSPACE_ID: workspaceId,
        ...(firstProject !== undefined && otherProjects.length === 0 && { MGMT_PROJECT_ID: firstProject }),
        MGMT_CONFIG_DIR: configFolder,
      },
      // The report is the only output of this command on standard output.
      stdio: ["ignore", 2, 2],
      notFoundHint: "Check its spelling, and that it is in a folder of PATH.",
      interruption,
      onSignal: (name) => interruption.interrupt(name),
    });
    signal.throwIfAborted();
    return exitCode;
  } finally {
    await rm(configFolder, { recursive: true, force: true });
  }
};

const renderReport = ({ exitCode, changes, faults }: Report): string[] => [
  `The command exited with ${String(exitCode)}. It would make these changes:`,
  "",
  ...renderDifference(changes),
  ...faults.flatMap((fault) => ["", ...renderFault(fault)]),
];

const outcomeMeanings = {
  recovered: "recovered: the same result as without the fault",
  failed: "failed",
  wrong: "wrong: exit code 0, but another result than without the fault",
  unused: "did not occur: the command did not send that request",
} as const;

const renderFault = (fault: FaultReport): string[] => {
  const { exitCode, outcome, difference } = fault;
  const outcomeText = `${outcomeMeanings[outcome]} (exit code ${String(exitCode)})`;
  const differenceLines = isUnchanged(difference)
    ? []
    : ["Compared with the result without the fault:", ...renderDifference(difference)];
  return [
    `${formatFault(fault)}: ${outcomeText}`,
    ...differenceLines.map((line) => (line === "" ? line : `  ${line}`)),
  ];
};

const renderDifference = (difference: StateDifference): string[] => {
  const { steps, unnamed } = difference;
  const counts = Object.entries(unnamed).map(
    ([resource, count]) =>
      `${count > 0 ? "+" : "-"} ${String(Math.abs(count))} ${resource} without a logical id`,
  );
  return steps.length === 0 && counts.length > 0 ? counts : [...counts, ...renderPlan({ steps }, plainStyle)];
};
