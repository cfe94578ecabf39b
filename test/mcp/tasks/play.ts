import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { RawClient } from "../raw-client.js";
import type { Args, Step, UserAction } from "./step.js";
import type { Task } from "./tasks.js";
import { connectTo, type LoggedRequest, readVariable, type World } from "./world.js";

type Result = Record<string, unknown>;

const userActions: Readonly<Record<UserAction, (folder: string) => void>> = {
  "write .env.local": (folder) =>
    writeFileSync(join(folder, ".env.local"), "A=1\nDATABASE_URL=old # comment\n"),
  "track .env": (folder) => {
    writeFileSync(join(folder, ".env"), "");
    for (const words of [
      ["init", "-q"],
      ["add", ".env"],
    ])
      execFileSync("git", words, { cwd: folder });
  },
  "link .env": (folder) => symlinkSync(join(folder, "..", "elsewhere"), join(folder, ".env")),
  "make .env a folder": (folder) => mkdirSync(join(folder, ".env")),
};

/** Plays a task in a project of its own, with a new server for each step. Fails unless it ends right, and nothing is done twice. */
export const play = async (task: Task, world: World): Promise<void> => {
  const player = await Player.start(task, world);
  const before = new Set((await world.requests()).map(({ requestId }) => requestId));
  for (const step of task.steps) {
    await player.take(step);
    await world.harvestSecrets();
  }
  const requests = (await world.requests()).filter(({ requestId }) => !before.has(requestId));
  expect(
    requests
      .filter(isChange)
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual([...task.writes].sort());
  await player.expectNothingTwice();
  for (const [file, name] of Object.entries(task.env ?? {})) {
    const url = readVariable(join(player.folder, file), name);
    expect(await connectTo(String(url))).not.toBe("");
  }
};

const isChange = ({ method, status, principal }: LoggedRequest): boolean =>
  principal?.kind === "agent" && method !== "GET" && (status === null || status < 300);

class Player {
  readonly folder: string;
  /** Values by name: facts of the task, and what the client has read. */
  readonly #values = new Map<string, unknown>();
  #last: Result = {};

  private constructor(
    private readonly task: Task,
    private readonly world: World,
  ) {
    this.folder = world.makeFolder();
  }

  static async start(task: Task, world: World): Promise<Player> {
    const player = new Player(task, world);
    const seed = (kind: string, body: object) => world.control<Result>("POST", `/seed/${kind}`, body);
    const project = String((await seed("project", { name: "shop" }))["id"]);
    const foreign = String((await seed("project", { name: "other" }))["id"]);
    const [main] = await world.list(`/v1/databases?projectId=${project}`);
    const [foreignDatabase] = await world.list(`/v1/databases?projectId=${foreign}`);
    const spare = String((await seed("database", { projectId: project, name: "spare" }))["id"]);
    const backup = await world.control<Result>("POST", `/databases/${String(main?.["id"])}/backups`, {});
    const [connection] = await world.list(`/v1/databases/${String(main?.["id"])}/connections`);
    const facts = {
      project,
      spare,
      main: main?.["id"],
      foreign: foreignDatabase?.["id"],
      backup: backup["id"],
      connection: connection?.["id"],
      new: `second-${project.slice(-8)}`,
      any: expect.anything(),
    };
    for (const [name, value] of Object.entries(facts)) player.#values.set(name, value);
    return player;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "call": {
        const args = this.#resolve(step.args) as Args;
        if (step.isCut) await this.#cut(step.tool, args);
        await this.#call(step.tool, args, step.gives);
        for (const [name, path] of Object.entries(step.remember)) this.#values.set(name, this.#read(path));
        return;
      }
      case "next": {
        const calls = this.#last["next"] as readonly { tool: string; arguments: Args }[];
        for (const [index, { tool, arguments: args }] of calls.entries())
          await this.#call(tool, args, index === calls.length - 1 ? step.gives : {});
        return;
      }
      case "sponsor":
        return this.#decide(step.decision);
      case "lose":
        await this.world.control("POST", "/faults", { operation: step.operation, drop: "after", times: 1 });
        return;
      case "user":
        userActions[step.does](this.folder);
    }
  }

  /** No two resources of the project have the same identity. */
  async expectNothingTwice(): Promise<void> {
    const project = String(this.#values.get("project"));
    const databases = await this.world.list(`/v1/databases?projectId=${project}`).catch(() => []);
    const branches = await this.world.list(`/v1/projects/${project}/branches`).catch(() => []);
    const identities = [
      ...databases.map(({ logicalId, id }) => `database ${String(logicalId ?? id)}`),
      ...branches.map(({ gitName }) => `branch ${String(gitName)}`),
    ];
    for (const { id } of databases) {
      const connections = await this.world.list(`/v1/databases/${String(id)}/connections`);
      identities.push(...connections.map(({ name }) => `connection ${String(id)} ${String(name)}`));
    }
    expect(identities).toEqual([...new Set(identities)]);
  }

  get #setup() {
    const { flags = [], isUnlimited } = this.task;
    const project = String(this.#values.get("project"));
    return {
      cwd: this.folder,
      env: this.world.env,
      flags: ["--profile", "agent", ...(isUnlimited ? [] : ["--project", project]), ...flags],
    };
  }

  async #call(tool: string, args: Args, gives: object): Promise<void> {
    const client = await RawClient.start(this.#setup, this.world.record);
    try {
      this.#last = await client.call(tool, args);
    } finally {
      await client.kill();
    }
    const text = JSON.stringify({ tool, ...this.#last });
    expect(this.#last, text).toMatchObject(this.#resolve(gives) as object);
  }

  /** Starts a call, and kills the server once the audit file says that it is about to change something. */
  async #cut(tool: string, args: Args): Promise<void> {
    const audit = join(this.folder, "cut.jsonl");
    writeFileSync(audit, "");
    const { flags, ...setup } = this.#setup;
    const client = await RawClient.start(
      { ...setup, flags: [...flags, "--audit-file", audit] },
      this.world.record,
    );
    const stop = new AbortController();
    const started = waitForStart(audit, stop.signal);
    const ended = client.call(tool, args);
    await Promise.race([started, ended]);
    await client.kill();
    stop.abort();
    await ended;
    this.world.evidence.push({ where: "audit file", text: readFileSync(audit, "utf8") });
  }

  async #decide(decision: "approve" | "approve-window" | "deny" | "sleep"): Promise<void> {
    if (decision === "sleep") {
      await this.world.control("POST", "/clock/advance", { milliseconds: 15 * 60_000 });
      return;
    }
    await this.world.control("POST", `/approvals/${String(this.#last["approvalId"])}/${decision}`, {});
  }

  #read(path: string): unknown {
    return path
      .split(".")
      .reduce<unknown>((value, name) => (value as Result | undefined)?.[name], this.#last);
  }

  /** Replaces names of values by the values. */
  #resolve(value: unknown): unknown {
    if (typeof value === "string" && value.startsWith("$")) return this.#values.get(value.slice(1));
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#resolve(inner)]));
  }
}

const waitForStart = async (path: string, signal: AbortSignal): Promise<void> => {
  try {
    const events = watch(path, { signal })[Symbol.asyncIterator]();
    while ((await events.next()).done !== true) if (readFileSync(path, "utf8").includes('"started"')) return;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
