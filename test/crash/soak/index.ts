import { randomBytes } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildIfStale } from "../../../scripts/build-if-stale.mjs";
import { loadContract } from "../../../scripts/generate/contract/contract.js";
import { MgmtDev } from "../mgmt-dev.js";
import { Random } from "../random.js";
import { describe } from "../request.js";
import { eventually } from "../violation.js";
import { bodyOf, defectOf } from "./check.js";
import { Requests } from "./requests.js";
import { send } from "./send.js";

const usage = `npm run test:e2e -- soak [--requests N] [--minutes M] [--seed S]

Sends generated requests to mgmt dev, valid and invalid ones, and checks every response against the contract, that the server keeps no
file or connection open, and that its memory does not keep growing.

  --requests N  number of requests. Default: 2000
  --minutes M   goes on for this time even if all requests are sent. Default: 0
  --seed S      repeats the choices of an earlier run

Exits with 1 after a defect.
`;

/** Requests after which the state of the server is reset, which drops the databases of the requests. */
const cycle = 4_000;
const clients = 4;
/** Files that the server may open at first and keep open. */
const maxKeptFiles = 50;
/** Growth of memory that garbage collection at different times explains, and minutes in which caches and the heap still fill. */
const [maxGrowth, warmUp] = [1.3, 10];

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "2000" },
    minutes: { type: "string", default: "0" },
    seed: { type: "string", default: randomBytes(4).toString("hex") },
    help: { type: "boolean" },
  },
});
const { seed } = options;
const [count, minutes] = [Number(options.requests), Number(options.minutes)];
if (options.help || !(count > 0) || !(minutes >= 0)) {
  process.stderr.write(usage);
  process.exit(options.help ? 0 : 2);
}

/** Creates resources that the generated requests may use and change. Returns them. */
const makeFixture = async (dev: MgmtDev): Promise<unknown[]> => {
  const resources: unknown[] = [];
  const make = async (kind: string, fields: object): Promise<unknown> => {
    const answer = await dev.control("POST", `/seed/${kind}`, fields);
    if (answer.status >= 300) throw new Error(`The ${kind} was not made: ${describe(answer)}`);
    resources.push(answer.body);
    return answer.body["id"];
  };
  for (let index = 0; index < 5; index += 1) {
    const projectId = await make("project", { name: `soak ${String(index)}` });
    await make("backup", { databaseId: await make("database", { projectId }) });
    await make("branch", { projectId });
    await make("deployment", { appId: await make("app", { projectId }) });
  }
  await make("service-token", { name: "soak" });
  await make("integration", {});
  return resources;
};

/** Returns how much memory a process uses, in MiB (Linux). */
const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1]) / 1024;

const openFilesOf = (pid: number): number => readdirSync(`/proc/${String(pid)}/fd`).length;

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

buildIfStale();
const directory = await mkdtemp(join(tmpdir(), "mgmt-soak-"));
const dev = new MgmtDev(directory);
const contract = await loadContract();
const random = new Random(seed);
const statuses = new Map<number, number>();
const memory: number[] = [];
let [sent, defects] = [0, 0];
console.log(`seed ${seed}, ${String(count)} requests, at least ${String(minutes)} minutes`);

const report = (defect: string): void => {
  defects += 1;
  console.log(defect);
};

const sendAndCheck = async (generator: Requests, agent: Agent): Promise<void> => {
  sent += 1;
  const number = String(sent);
  const generated = generator.next();
  const { operation, method, path, body = "" } = generated;
  try {
    const response = await send(dev.ready.baseUrl, generated, agent);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const defect = defectOf(generated, response);
    if (defect !== undefined) report(`${number}: ${method} ${path} ${body.slice(0, 500)}\n  ${defect}`);
    else if (response.status < 300 && operation) generator.learn(bodyOf(response));
  } catch (error) {
    report(
      `${number}: ${method} ${path} ${body.slice(0, 500)}\n  It has no valid response: ${String(error)}`,
    );
  }
};

try {
  await dev.start();
  const { pid } = dev.ready;
  const openFiles = openFilesOf(pid);
  const started = Date.now();
  const isOver = (): boolean => !dev.isRunning || (sent >= count && Date.now() - started >= minutes * 60_000);
  while (!isOver()) {
    const generator = new Requests(contract, random, [...dev.tokens, ...dev.userTokens]);
    for (const resource of await makeFixture(dev)) generator.learn(resource);
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const end = sent + cycle;
    const work = async (): Promise<void> => {
      while (sent < end && !isOver()) await sendAndCheck(generator, agent);
    };
    await Promise.all(Array.from({ length: clients }, work));
    agent.destroy();
    const reset = await dev.control("POST", "/reset");
    if (reset.status >= 300) report(`The reset failed: ${describe(reset)}`);
    await dev.prepare();
    memory.push(memoryOf(pid));
    await eventually("The server keeps files or connections open", async () => {
      const newFiles = openFilesOf(pid) - openFiles;
      return newFiles > maxKeptFiles ? `${String(newFiles)} more than at first` : undefined;
    });
    console.log(`${String(sent)} requests, the server uses ${String(Math.round(memory.at(-1) ?? 0))} MiB`);
  }
  if (!dev.isRunning) report("The server has ended");
  const quarter = memory.length / 4;
  const [second, last] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(3 * quarter))];
  if (Date.now() - started >= warmUp * 60_000 && last > second * maxGrowth)
    report(`The memory of the server grew from ${String(second)} to ${String(last)} MiB`);
} catch (error) {
  report(String(error));
}
await dev.stop();
await rm(directory, { recursive: true, force: true });
console.log(
  `${String(sent)} requests with seed ${seed}, ${String(defects)} defects. Statuses:`,
  Object.fromEntries(statuses),
);
process.exit(defects > 0 ? 1 : 0);
