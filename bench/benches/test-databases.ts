import { fillTemplate } from "../programs/fill-template.js";
import type { DatabaseTestResult, DatabaseTests } from "../programs/database-tests.js";
import { atMost } from "../runner/goals.js";
import { type Build, type Measurement, row } from "../runner/measurement.js";
import { query, startPostgres } from "../runner/postgres.js";
import { withProgram } from "../runner/program.js";

const workers = 8;
/** Tests in all workers. */
const testCount = 1_000;
/** Duration of a test, in milliseconds: eight workers begin up to eight tests in a second, which two processors can make copies for. */
const testMs = 1_000;
/** Tests of no duration, which begin as fast as copies are made. */
const hastyTestCount = 240;

type Tests = Pick<DatabaseTests, "kind" | "adminUrl" | "template">;

/** Returns the median and the 99th percentile. */
const percentilesOf = (times: readonly number[]): number[] => {
  const sorted = [...times].sort((left, right) => left - right);
  return [0.5, 0.99].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
};

/** A run of tests in all workers: how long each test of a worker has waited in milliseconds, and how many began in a second. */
interface Run {
  readonly waits: readonly (readonly number[])[];
  readonly rate: number;
}

const runTests = async (build: Build, tests: Tests, count: number, durationMs: number): Promise<Run> => {
  const results = await Promise.all(
    Array.from({ length: workers }, (_, worker) =>
      withProgram(
        build,
        "database-tests",
        { ...tests, worker, testMs: durationMs, testCount: count / workers } satisfies DatabaseTests,
        ({ result }: { result: DatabaseTestResult }) => result,
      ),
    ),
  );
  // The first test of a run makes the template and starts the server.
  const seconds = Math.max(...results.map(({ durationMs: duration }) => duration)) / 1_000;
  return { waits: results.map(({ waits }) => waits), rate: (count - workers) / seconds };
};

const measureWaits = async (build: Build, tests: Tests): Promise<number[]> => {
  const { waits, rate } = await runTests(build, tests, testCount, testMs);
  return [...percentilesOf(waits.flatMap(([, ...later]) => later)), rate];
};

/** Measures the copies in a second, and the wait of the first tests of a run that another one follows. */
const measureCopies = async (build: Build): Promise<number[]> => {
  const { rate } = await runTests(build, { kind: "mgmt" }, hastyTestCount, 0);
  const { waits } = await runTests(build, { kind: "mgmt" }, workers, 0);
  return [rate, Math.max(...waits.flat())];
};

/** Runs tests in a Postgres that was started by hand. */
const measureByHand = async (build: Build, kind: "template" | "transaction"): Promise<number[]> => {
  const postgres = await startPostgres();
  try {
    const adminUrl = postgres.buildUrl("postgres", "postgres");
    await query(adminUrl, "create database filled");
    const connectionString = postgres.buildUrl("postgres", "filled");
    await fillTemplate(connectionString);
    return await measureWaits(build, { kind, adminUrl, template: "filled" });
  } finally {
    await postgres.stop();
  }
};

export const testDatabases: readonly Measurement[] = [
  {
    rows: [
      row("a test waits for its database, median", "ms", atMost(10)),
      row("a test waits for its database, 99th percentile", "ms", atMost(50)),
      row("tests begin", "1/s"),
    ],
    rounds: 1,
    subject: { name: "copies made ahead", measure: (build) => measureWaits(build, { kind: "mgmt" }) },
    baseline: { name: "CREATE DATABASE … TEMPLATE", measure: (build) => measureByHand(build, "template") },
    others: [
      { name: "a transaction for each test", measure: (build) => measureByHand(build, "transaction") },
    ],
  },
  {
    rows: [
      row("copies are made for tests that do nothing", "1/s"),
      row("the first tests of the next run wait, the longest of 8", "ms", atMost(600)),
    ],
    rounds: 1,
    subject: { name: "copies made ahead", measure: measureCopies },
  },
];
