import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildIfStale } from "../../../scripts/build-if-stale.mjs";
import { loadContract } from "../../../scripts/generate/contract/contract.js";
import { MgmtDev } from "../mgmt-dev.js";
import { Random } from "../random.js";
import { type ReceivedResponse, bodyOf, defectOf } from "./check.js";
import { CollectedMemory } from "./collected-memory.js";
import { MemoryWatch, megabytes } from "./memory.js";
import { type GeneratedRequest, Requests } from "./requests.js";

/** Requests after which the state of the server is reset, which drops the databases of the requests. */
const cycle = 4_000;

const usage = `npx tsx test/crash/soak/index.ts [--requests N] [--minutes M] [--seed S] [--collect]

Sends generated requests to mgmt dev, valid and invalid ones, and checks every response against the contract, and that the
memory of the server does not keep growing.

  --requests N  number of requests. Default: 2000
  --minutes M   goes on for this time even if all requests are sent. Default: 0
  --seed S      repeats the choices of an earlier run
  --collect     collects the garbage of the server after every ${String(cycle)} requests, prints what it uses then, and judges that.
                Without it, memory that was not collected yet looks like a leak

Exits with 1 after a defect.
`;

interface Arguments {
  requests: number;
  minutes: number;
  seed: string;
  isCollecting: boolean;
}

const readArguments = (): Arguments => {
  const { values } = parseArgs({
    options: {
      requests: { type: "string" },
      minutes: { type: "string" },
      seed: { type: "string" },
      collect: { type: "boolean" },
    },
  });
  const requests = Number(values.requests ?? 2_000);
  const minutes = Number(values.minutes ?? 0);
  if (!Number.isInteger(requests) || requests <= 0) throw new Error("--requests needs a positive integer");
  if (!(minutes >= 0)) throw new Error("--minutes needs a number of minutes");
  return {
    requests,
    minutes,
    seed: values.seed ?? randomBytes(4).toString("hex"),
    isCollecting: values.collect ?? false,
  };
};

const clients = 4;

/** Minutes from which on the memory is judged: before, caches and the heap still fill. */
const shortest = 10;

const send = (base: string, { method, path, headers, body }: GeneratedRequest, agent: Agent) =>
  new Promise<ReceivedResponse>((resolve, reject) => {
    const { hostname: host, port } = new URL(base);
    // Node.js sends the body of some methods without its length unless it is given.
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { host, port, method, path, headers: { ...headers, ...length }, agent };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          mediaType: response.headers["content-type"] ?? "",
          text: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });

/** Creates resources that the generated requests may use and change. */
const makeFixture = async (dev: MgmtDev): Promise<unknown[]> => {
  const made: unknown[] = [];
  const make = async (kind: string, fields: object): Promise<string> => {
    const { status, body } = await dev.control("POST", `/seed/${kind}`, fields);
    if (status >= 300) throw new Error(`The ${kind} was not made: ${JSON.stringify(body)}`);
    made.push(body);
    return String(body["id"]);
  };
  for (let index = 0; index < 5; index += 1) {
    const projectId = await make("project", { name: `soak ${String(index)}` });
    const databaseId = await make("database", { projectId });
    await make("backup", { databaseId });
    await make("branch", { projectId });
    const appId = await make("app", { projectId });
    await make("deployment", { appId });
  }
  await make("service-token", { name: "soak" });
  await make("integration", {});
  return made;
};

const soak = async (
  dev: MgmtDev,
  memory: MemoryWatch,
  collected: CollectedMemory | undefined,
  { requests: count, minutes, seed }: Arguments,
): Promise<string[]> => {
  const contract = await loadContract();
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const random = new Random(seed);
  const statuses = new Map<number, number>();
  const defects: string[] = [];
  const started = Date.now();
  const isOver = (sent: number): boolean => sent >= count && Date.now() - started >= minutes * 60_000;
  let sent = 0;
  const sendMany = async (generator: Requests, end: number): Promise<void> => {
    while (sent < end && !isOver(sent)) {
      sent += 1;
      const number = sent;
      const generated = generator.next();
      const { operation, method, path, body = "" } = generated;
      let defect: string | undefined;
      try {
        const response = await send(dev.ready.baseUrl, generated, agent);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        defect = defectOf(generated, response);
        if (defect === undefined && response.status < 300 && operation) generator.learn(bodyOf(response));
      } catch (error) {
        defect = `It has no response: ${String(error)}`;
      }
      if (defect === undefined) continue;
      defects.push(`${String(number)}: ${method} ${path} ${body.slice(0, 500)}\n  ${defect}`);
      console.log(defects.at(-1));
    }
  };
  while (!isOver(sent) && dev.isRunning) {
    const generator = new Requests(contract, random, [...dev.tokens, ...dev.userTokens]);
    for (const resource of await makeFixture(dev)) generator.learn(resource);
    const end = sent + cycle;
    await Promise.all(Array.from({ length: clients }, () => sendMany(generator, end)));
    await dev.renew();
    const rest = await collected?.measure(dev.ready.pid);
    const used = rest === undefined ? "" : `; after a garbage collection: ${rest}`;
    console.log(`${String(sent)} requests, the server uses ${megabytes(memory.latest)}${used}`);
  }
  agent.destroy();
  if (!dev.isRunning) defects.push("The server has ended");
  const { quarters, grew } = (collected ?? memory).judge();
  const took = (Date.now() - started) / 60_000;
  if (grew && took >= shortest) defects.push("The memory of the server kept growing");
  console.log(`${String(sent)} requests in ${took.toFixed(1)} minutes, ${String(defects.length)} defects`);
  for (const [status, number] of [...statuses].sort()) console.log(`  ${String(status)}: ${String(number)}`);
  const what = collected ? "heap of the server after garbage collections" : "memory of the server";
  console.log(`${what} in each quarter of the time: ${quarters.map(megabytes).join(", ")}`);
  return defects;
};

const run = async (parameters: Arguments): Promise<void> => {
  buildIfStale();
  const directory = await mkdtemp(join(tmpdir(), "mgmt-soak-"));
  const { requests, minutes, seed, isCollecting } = parameters;
  const collected = isCollecting ? new CollectedMemory(directory) : undefined;
  const dev = new MgmtDev(directory, undefined, collected?.environment);
  console.log(`seed ${seed}, ${String(requests)} requests, at least ${String(minutes)} minutes`);
  let memory: MemoryWatch | undefined;
  try {
    await dev.start();
    memory = new MemoryWatch(dev.ready.pid);
    const defects = await soak(dev, memory, collected, parameters);
    if (defects.length > 0) process.exitCode = 1;
  } finally {
    memory?.close();
    await dev.stop();
    await rm(directory, { recursive: true, force: true });
  }
};

if (process.argv.includes("--help")) console.log(usage);
else await run(readArguments());
