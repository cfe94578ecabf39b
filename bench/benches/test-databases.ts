import { fillTemplate } from "../programs/fill-template.js";
import type { DatabaseTests } from "../programs/database-tests.js";
import { atMost } from "../runner/goals.js";
import { type Build, type Measurement, row } from "../runner/measurement.js";
import { query, startPostgres } from "../runner/postgres.js";
import { withProgram } from "../runner/program.js";

const workers = 8;
const testsPerWorker = 125;
/** Duration of a test, in milliseconds: eight workers begin up to eight tests in a second, which two processors can make copies for. */
const testMs = 1_000;

/** Returns the median and the 99th percentile. */
const percentilesOf = (times: readonly number[]): number[] => {
  const sorted = [...times].sort((left, right) => left - right);
  return [0.5, 0.99].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
};

const runTests = async (
  build: Build,
  tests: Pick<DatabaseTests, "kind" | "adminUrl" | "template">,
): Promise<number[]> => {
  const times = await Promise.all(
    Array.from({ length: workers }, (_, worker) =>
      withProgram(
        build,
        "database-tests",
        { ...tests, worker, testMs, testCount: testsPerWorker } satisfies DatabaseTests,
        ({ result }: { result: number[] }) => result,
      ),
    ),
  );
  // The first test of a run makes the template and starts the server.
  return percentilesOf(times.flatMap(([, ...later]) => later));
};

/** Runs tests in a Postgres that was started by hand. */
const runByHand = async (build: Build, kind: "template" | "transaction"): Promise<number[]> => {
  const postgres = await startPostgres();
  try {
    const adminUrl = postgres.buildUrl("postgres", "postgres");
    await query(adminUrl, "create database filled");
    const connectionString = postgres.buildUrl("postgres", "filled");
    await fillTemplate(connectionString);
    return await runTests(build, { kind, adminUrl, template: "filled" });
  } finally {
    await postgres.stop();
  }
};

export const testDatabases: readonly Measurement[] = [
  {
    rows: [
      row("a test waits for its database, median", "ms", atMost(10)),
      row("a test waits for its database, 99th percentile", "ms", atMost(50)),
    ],
    rounds: 1,
    subject: { name: "copies made ahead", measure: (build) => runTests(build, { kind: "mgmt" }) },
    baseline: { name: "CREATE DATABASE … TEMPLATE", measure: (build) => runByHand(build, "template") },
    others: [{ name: "a transaction for each test", measure: (build) => runByHand(build, "transaction") }],
  },
];
