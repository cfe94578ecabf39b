import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { LoadClient } from "./client.js";
import { Coverage } from "./coverage.js";
import { FullDisk } from "./full-disk.js";
import { Killer, describeKill, planKill } from "./kills.js";
import { type Baseline, makeForeign, observeBaseline, verifyObjects } from "./leftovers.js";
import { MgmtDev } from "./mgmt-dev.js";
import { Random } from "./random.js";
import { Violation, eventually } from "./violation.js";

const usage = `npm run test:crash [-- --kills N] [--seed S]

Kills parts of a mgmt dev that eight clients use, restarts it, and checks that every answer was kept.

  --kills N    number of kills. Default: 12. Every second kill waits for the next named step
  --seed S     repeats the choices of an earlier run

Exits with 1 after a violation, and keeps the data directory.
`;

const readArguments = (): { kills: number; seed: string } => {
  const { values } = parseArgs({ options: { kills: { type: "string" }, seed: { type: "string" } } });
  const kills = Number(values.kills ?? 12);
  if (!(Number.isInteger(kills) && kills > 0)) throw new Error("--kills needs a positive integer");
  return { kills, seed: values.seed ?? randomBytes(4).toString("hex") };
};

const clientCount = 8;

class CrashTest {
  readonly counts = new Map<string, number>();
  readonly coverage = new Coverage();
  readonly #dev: MgmtDev;
  readonly #killer: Killer;
  readonly #seed: string;
  readonly #clients: LoadClient[];
  #baseline: Baseline = { databases: new Set(), roles: new Set() };

  constructor(directory: string, disk: FullDisk, seed: string) {
    this.#dev = new MgmtDev(directory, disk.directory);
    this.#killer = new Killer(this.#dev, disk);
    this.#seed = seed;
    this.#clients = Array.from(
      { length: clientCount },
      (_, index) =>
        new LoadClient(
          this.#dev,
          new Random(`${seed}:client:${String(index)}`),
          `c${String(index)}`,
          this.counts,
        ),
    );
  }

  async begin(): Promise<void> {
    await this.#dev.start();
    const admin = await this.#dev.connectAsAdmin();
    await makeForeign(admin);
    await admin.end();
    this.#baseline = await observeBaseline(this.#dev);
  }

  /** Loads, kills, recovers and verifies once. */
  async round(index: number): Promise<void> {
    const plan = planKill(new Random(`${this.#seed}:kill:${String(index)}`), index);
    const load = Promise.all(this.#clients.map((client) => client.run()));
    // Awaited below. Until then, a rejection must not end the process.
    load.catch(() => undefined);
    const isAtStep = await this.#killer.kill(plan, () => {
      const pending = this.#clients.flatMap((client) => client.pending ?? []);
      if (plan.step !== undefined) this.coverage.reached(plan.step, pending);
    });
    for (const client of this.#clients) client.stop();
    console.log(
      `${String(index)}: ${describeKill(plan)}${plan.step !== undefined && !isAtStep ? " (not reached)" : ""}`,
    );
    await this.#recover();
    await load;
    for (const client of this.#clients) await client.verify();
    await verifyObjects(this.#dev, this.#baseline);
  }

  async end(): Promise<void> {
    await this.#dev.stop();
  }

  killEverything(): void {
    this.#dev.killEverything();
  }

  async #recover(): Promise<void> {
    const dev = this.#dev;
    await eventually("mgmt dev does not recover", async () => {
      if (!dev.isRunning) await dev.start();
      const { status } = await dev.call(dev.tokens[0], "GET", "/v1/me");
      const admin = await dev.connectAsAdmin();
      await admin.end();
      return status === 200 ? undefined : String(status);
    });
  }
}

const { kills, seed } = ((): ReturnType<typeof readArguments> => {
  try {
    return readArguments();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(2);
  }
})();

await ensureBuilt();
const directory = await mkdtemp(join(tmpdir(), "mgmt-crash-"));
await chmod(directory, 0o755);
console.log(`seed ${seed}, ${String(kills)} kills, in ${directory}`);
const test = new CrashTest(directory, await FullDisk.make(directory), seed);
let done = 0;
try {
  await test.begin();
  for (; done < kills; done += 1) await test.round(done + 1);
  await test.end();
  const counts = [...test.counts].sort().map(([operation, count]) => `  ${operation}: ${String(count)}`);
  console.log(`${String(kills)} kills without a violation. Requests:\n${counts.join("\n")}`);
  console.log(test.coverage.report());
  await rm(directory, { recursive: true, force: true });
} catch (error) {
  test.killEverything();
  const what = error instanceof Violation ? `VIOLATION ${error.message}` : error;
  console.error(what);
  console.error(
    `After ${String(done)} good kills. Repeat it with: npm run test:crash -- --seed ${seed} --kills ${String(done + 1)}\n` +
      `The data directory and mgmt-dev.log are in ${directory}.`,
  );
  process.exitCode = 1;
}
process.exit();
