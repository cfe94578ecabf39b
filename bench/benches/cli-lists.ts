import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ListServer } from "../programs/calls.js";
import type { Finding, Series } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { mgmtProgram } from "../runner/paths.js";
import { startProgram } from "../runner/program.js";

const rounds = 3;
/** About the size of a page, which the command asks for with --all. */
const itemsPerPage = 1_000;
const tableRows = 10_010;
const streamedRows = 200_000;
/** Delay of each response while the first output is measured. */
const latencyMs = 1_000;

/** Measures `projects list --all` for lists that fill neither the memory nor the patience of a user. */
export const measureLists = async (home: string): Promise<Finding[]> => {
  const table = await measureList(tableRows, ["--output", "table"], home);
  const csv = await measureList(streamedRows, ["--output", "csv"], home);
  const streamed = await measureList(streamedRows, ["--output", "ndjson"], home);
  const { waiting } = await listAll({ rows: 2 * itemsPerPage, latencyMs }, ["--output", "ndjson"], home);
  assert.ok(waiting > latencyMs / 2, "The first page is not printed before the second one arrives");
  return [
    {
      title: `table of ${tableRows.toLocaleString("en-US")} rows, wall time`,
      subject: table.wall,
      goal: goals.cli.table,
    },
    ...[csv, streamed].map(({ wall }): Finding => ({
      title: `${streamedRows.toLocaleString("en-US")} rows for a program, wall time`,
      subject: wall,
      goal: goals.cli.stream,
    })),
    ...(streamed.memory.rounds.length === 0
      ? []
      : [
          {
            title: `NDJSON of ${streamedRows.toLocaleString("en-US")} projects, peak memory`,
            subject: streamed.memory,
            goal: goals.cli.streamMemory,
            notes: ["The first page is printed before the second one arrives."],
          },
        ]),
  ];
};

const measureList = async (
  rows: number,
  flags: readonly string[],
  home: string,
): Promise<{ wall: Series; memory: Series }> => {
  const wall: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const run = await listAll({ rows, latencyMs: 0 }, flags, home);
    assert.ok(run.lines >= rows, `${String(run.lines)} lines for ${String(rows)} rows`);
    wall.push(run.seconds);
    if (run.peak !== undefined) memory.push(run.peak);
  }
  const name = `mgmt projects list --all ${flags.join(" ")}`;
  return { wall: { name, unit: "s", rounds: wall }, memory: { name, unit: "B", rounds: memory } };
};

interface ListRun {
  readonly seconds: number;
  readonly lines: number;
  /** Bytes of resident memory. Absent where the system has no `/proc`. */
  readonly peak: number | undefined;
  /** Milliseconds between the first output and the end. */
  readonly waiting: number;
}

const listAll = async (
  { rows, latencyMs: latency }: { readonly rows: number; readonly latencyMs: number },
  flags: readonly string[],
  home: string,
): Promise<ListRun> => {
  const server = await startProgram<ListServer>("list-server");
  try {
    const pages = Math.floor(rows / itemsPerPage);
    const { baseUrl, token } = await server.calls.start({
      pages,
      itemsPerPage: rows / pages,
      latencyMs: latency,
    });
    const started = performance.now();
    const child = spawn(process.execPath, [mgmtProgram, "projects", "list", "--all", ...flags], {
      env: { PATH: process.env["PATH"], HOME: home, MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let [lines, first, peak]: [number, number | undefined, number | undefined] = [0, undefined, undefined];
    const watch = setInterval(() => (peak = peakMemory(child) ?? peak), 20);
    child.stdout.on("data", (chunk: Buffer) => {
      first ??= performance.now();
      for (const byte of chunk) if (byte === 10) lines += 1;
    });
    const [status] = await once(child, "close");
    const ended = performance.now();
    clearInterval(watch);
    assert.equal(status, 0);
    return { seconds: (ended - started) / 1_000, lines, peak, waiting: ended - (first ?? ended) };
  } finally {
    await server.stop();
  }
};

/** Returns the peak of the resident memory of a running process, in bytes. */
const peakMemory = ({ pid }: ChildProcess): number | undefined => {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(status) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
};
