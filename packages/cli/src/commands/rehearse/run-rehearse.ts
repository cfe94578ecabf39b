import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../input/context.js";
import { inheritedEnvironment } from "../../system/find-program.js";
import { faultsUnused, notRecovered, rehearsedCommandFailed } from "../../errors/run-errors.js";
import { diffStates, type Difference, isSame } from "../../manifest/diff-states.js";
import { type Manifest, readManifest } from "../../manifest/read-manifest.js";
import type { State } from "../../manifest/read-state.js";
import { renderPlan } from "../../manifest/render-plan.js";
import { plain } from "../../output/style.js";
import { printable } from "../../output/printable.js";
import { exitStatusOf } from "../../system/run-program.js";
import { nameOfFault, parseFault, type RehearsedFault } from "./fault.js";
import { LocalService } from "./local-service.js";

export interface RehearseOptions {
  readonly file: string | undefined;
  readonly faults: readonly string[];
  readonly words: readonly string[];
}

export interface Report {
  readonly command: readonly string[];
  /** The exit code of the command without faults. */
  readonly exitCode: number;
  /** What it changed. */
  readonly changes: Difference;
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
  readonly difference: Difference;
}

/** Runs a command against a local copy of the resources of a manifest, without faults and with each of them, and reports. */
export const runRehearse = async (
  { file, faults: texts, words }: RehearseOptions,
  context: Context,
): Promise<void> => {
  const faults: RehearsedFault[] = [];
  for (const text of texts) faults.push(await parseFault(text));
  const manifest = await readManifest(file, context);
  const { output } = context;
  output.info("Starting a local service.");
  const service = await LocalService.start(context);
  try {
    const report = await rehearse(words, manifest, faults, service, context);
    if (output.format === "table") output.wrapped(renderReport(report).map(printable).join("\n"));
    else await output.result(report);
    if (report.exitCode !== 0) throw rehearsedCommandFailed(report.exitCode, faults.length);
    const namesOf = (...outcomes: FaultReport["outcome"][]): string[] =>
      report.faults.filter(({ outcome }) => outcomes.includes(outcome)).map(nameOfFault);
    const [bad, unused] = [namesOf("failed", "wrong"), namesOf("unused")];
    if (bad.length > 0) throw notRecovered(bad, unused, faults.length);
    if (unused.length > 0) throw faultsUnused(unused, faults.length);
  } finally {
    await service.stop();
  }
};

const rehearse = async (
  words: readonly string[],
  manifest: Manifest,
  faults: readonly RehearsedFault[],
  service: LocalService,
  context: Context,
): Promise<Report> => {
  const { output } = context;
  let projects = await service.load(manifest);
  const before = await service.state();
  output.info(`Running: ${words.join(" ")}`);
  const exitCode = await runIn(service, projects, words, context);
  const after = await service.state();
  const reports: FaultReport[] = [];
  for (const fault of exitCode === 0 ? faults : []) {
    projects = await service.load(manifest);
    await service.add(fault);
    output.info(`Running with ${nameOfFault(fault)}: ${words.join(" ")}`);
    const code = await runIn(service, projects, words, context);
    const occurred = await service.hasStruck();
    // It must not strike the requests of the comparison.
    await service.removeFaults();
    reports.push(faultReport(fault, occurred, code, after, await service.state()));
  }
  return {
    command: words,
    exitCode,
    changes: diffStates(before, after),
    faults: reports,
    coped: exitCode === 0 && reports.every(({ outcome }) => outcome === "recovered"),
  };
};

const faultReport = (
  fault: RehearsedFault,
  occurred: boolean,
  exitCode: number,
  expected: State,
  actual: State,
): FaultReport => {
  const difference = diffStates(expected, actual);
  const outcome = !occurred
    ? "unused"
    : exitCode !== 0
      ? "failed"
      : isSame(difference)
        ? "recovered"
        : "wrong";
  return { ...fault, occurred, exitCode, outcome, difference };
};

/** Runs the command with the address and the token of the service, and without any profile, link or other credential. */
const runIn = async (
  { baseUrl, token, workspaceId }: LocalService,
  projects: readonly string[],
  [program = "", ...args]: readonly string[],
  { cwd, env, signal, interruption }: Context,
): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), "mgmt-rehearse-"));
  const [only, ...others] = projects;
  try {
    const status = await exitStatusOf(program, args, {
      cwd,
      env: {
        ...inheritedEnvironment(env),
        MGMT_BASE_URL: baseUrl,
        MGMT_TOKEN: token,
        MGMT_WORKSPACE_ID: workspaceId,
        ...(only !== undefined && others.length === 0 && { MGMT_PROJECT_ID: only }),
        MGMT_CONFIG_DIR: folder,
      },
      // The report is the only output of this command on standard output.
      stdio: ["ignore", 2, 2],
      notFound: "Check its spelling, and that it is in a folder of PATH.",
      interruption,
      onSignal: (name) => interruption.interrupt(name),
    });
    signal.throwIfAborted();
    return status;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const renderReport = ({ exitCode, changes, faults }: Report): string[] => [
  `The command exited with ${String(exitCode)}. It would make these changes:`,
  "",
  ...linesOf(changes),
  ...faults.flatMap((fault) => ["", ...renderFault(fault)]),
];

const meanings = {
  recovered: "recovered: the same result as without the fault",
  failed: "failed",
  wrong: "wrong: exit code 0, but another result than without the fault",
  unused: "did not occur: the command did not send that request",
} as const;

const renderFault = (fault: FaultReport): string[] => {
  const { exitCode, outcome, difference } = fault;
  const state = `${meanings[outcome]} (exit code ${String(exitCode)})`;
  const rest = isSame(difference)
    ? []
    : ["Compared with the result without the fault:", ...linesOf(difference)];
  return [`${nameOfFault(fault)}: ${state}`, ...rest.map((line) => (line === "" ? line : `  ${line}`))];
};

const linesOf = (difference: Difference): string[] => {
  const { steps, unnamed } = difference;
  const counts = Object.entries(unnamed).map(
    ([resource, count]) =>
      `${count > 0 ? "+" : "-"} ${String(Math.abs(count))} ${resource} without a logical id`,
  );
  return steps.length === 0 && counts.length > 0 ? counts : [...counts, ...renderPlan({ steps }, plain)];
};
