import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseEngine, EngineOptions } from "@mgmt/engine";
import { afterEach, beforeEach } from "vitest";
import { temporaryFolder } from "../../folders.js";
import { RecordedShop, recordedGit } from "../../git/recorded-git.js";
import { inProcess, type Setup } from "../../in-process.js";
import { recordPrograms } from "../../recorded-programs.js";
import type { Mgmt } from "../../result.js";
import { type Session, startSession } from "../../terminal.js";

/** What `mgmt preview up` and `reset` print that tests read. */
export interface Up {
  databaseId: string;
  created: boolean;
  connectionString: string;
  region: string;
  expiresAt: string | null;
}

/** A service with a project in Frankfurt, and an empty folder. Both are new in each test. */
export class Place {
  projectId = "";
  sourceId = "";
  /** Token, address, and the project. */
  env: NodeJS.ProcessEnv = {};
  /** Contains the folders of a test. */
  base = "";
  #session: Session | undefined;

  get session(): Session {
    if (!this.#session) throw new Error("There is no session outside of a test");
    return this.#session;
  }

  /** @param base an empty folder */
  async open(base: string, options: EngineOptions): Promise<void> {
    this.base = base;
    this.#session = await startSession(options);
    const { clock, seed, tokens } = this.session.server.engine;
    // Ages are those of real time. The token of a user would expire on the way there.
    await clock.set(Date.now());
    const project = await seed.project({ name: "shop", region: "eu-central-1" });
    this.projectId = project.id;
    this.sourceId = project.database?.id ?? "";
    this.env = {
      ...this.session.env,
      MGMT_TOKEN: await tokens.service(),
      MGMT_PROJECT_ID: project.id,
    };
    mkdirSync(this.folder);
  }

  /** Where commands run unless a test says otherwise. */
  get folder(): string {
    return join(this.base, "work");
  }

  /** Runs a command line in the folder. */
  get mgmt(): Mgmt {
    return this.mgmtIn(this.folder);
  }

  mgmtIn(cwd: string, env: NodeJS.ProcessEnv = {}, setup: Setup = {}): Mgmt {
    return inProcess({ ...setup, env: { ...this.env, ...env }, cwd });
  }

  async databases(): Promise<{ id: string; name: string; logicalId: string | null; source: object }[]> {
    return (await this.mgmt`databases list --project-id ${this.projectId} -o json`).json as never;
  }

  /** Makes a preview expire long ago, which only its sponsor can. */
  async expire(id: string): Promise<void> {
    const database = (await this.databases()).find((each) => each.id === id);
    const logicalId = database?.logicalId?.replace(/\.expires-.*$/, "") ?? "";
    await this.mgmt`databases update ${id} --logical-id ${`${logicalId}.expires-20200101T0000Z`}`;
  }

  /** Runs a command line in a folder as an agent of the token's user. */
  async asAgent(cwd = this.folder): Promise<Mgmt> {
    return this.mgmtIn(cwd, { MGMT_TOKEN: await this.session.server.engine.tokens.agent() });
  }

  /** Returns the Git names of the project's branches. */
  async branches(): Promise<string[]> {
    const { json } = await this.mgmt`projects branches list ${this.projectId} -o json`;
    return (json as { gitName: string }[]).map(({ gitName }) => gitName);
  }

  /** Returns how the branches of the previews stand in git, as the list in a folder says. */
  async states(cwd = this.folder): Promise<Record<string, string>> {
    const { json } = await this.mgmtIn(cwd)`preview list -o json`;
    const listed = json as { branch: string; remote: string }[];
    return Object.fromEntries(listed.map(({ branch, remote }) => [branch, remote]));
  }

  get requestCount(): number {
    return this.session.server.engine.requests.length;
  }

  /** Returns the operations that were called since then and that change something. */
  writesSince(count: number): string[] {
    return this.session.server.engine.requests
      .slice(count)
      .flatMap(({ method, operationId }) => (method === "GET" ? [] : [operationId ?? ""]));
  }

  /** Runs git in a folder, and returns what it prints. */
  git(folder: string, ...args: string[]): string {
    const settings = ["user.name=a", "user.email=a@example.com", "protocol.file.allow=always"];
    const words = [...settings.flatMap((each) => ["-c", each]), ...args];
    const env = { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", HOME: this.base };
    return execFileSync("git", words, { cwd: folder, stdio: "pipe", encoding: "utf8", env }).trim();
  }

  /** Creates a bare repository with the branch `main`. Returns its path. */
  bareRepository(name: string): string {
    const path = join(this.base, name);
    // Git starts more than ten processes for it, so the tests of a file copy the first one.
    const first = join(dirname(this.base), name);
    if (!existsSync(first)) this.#makeBareRepository(first);
    cpSync(first, path, { recursive: true });
    return path;
  }

  #makeBareRepository(path: string): void {
    this.git(this.base, "init", "--quiet", "--bare", "--template=", "--initial-branch", "main", path);
    const work = mkdtempSync(join(this.base, "first-"));
    this.git(work, "init", "--quiet", "--initial-branch", "main");
    this.git(work, "commit", "--quiet", "--allow-empty", "--message", basename(path));
    this.git(work, "push", "--quiet", path, "main");
  }

  /** Clones a repository into a folder of the test. Returns its path. */
  clone(origin: string, name: string, ...options: string[]): string {
    const path = join(this.base, name);
    this.git(this.base, "clone", "--quiet", ...options, origin, path);
    return path;
  }

  /** Creates a branch with a commit, and is on it. */
  startBranch(folder: string, branch: string, { push = true } = {}): void {
    this.git(folder, "checkout", "--quiet", "-b", branch);
    this.git(folder, "commit", "--quiet", "--allow-empty", "--message", branch);
    if (push) this.git(folder, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  }
}

/** Returns the place of the tests of a file. Call it outside of tests and hooks. */
export const usePlace = (options: EngineOptions = {}): Place => {
  const root = temporaryFolder();
  const place = new Place();
  beforeEach(() => place.open(mkdtempSync(join(root, "preview-")), options));
  afterEach(() => place.session.close());
  return place;
};

/**
 * Does the same where no process is started: a recorded git answers for the folder, which is a clone of the repository of a shop.
 *
 * @param options `provisioning` is how long a database takes to be ready, in milliseconds. Default: it is ready at once. `programs` are
 *   more programs.
 */
export const useRecordedPlace = ({
  provisioning = 0,
  databaseEngine,
  programs = {},
}: {
  readonly provisioning?: number;
  readonly databaseEngine?: DatabaseEngine;
  readonly programs?: Parameters<typeof recordPrograms>[0];
} = {}): { place: Place; shop: RecordedShop } => {
  const place = usePlace({ databaseEngine, settings: { lifecycle: { provisioning, recovering: 0 } } });
  const shop = new RecordedShop();
  beforeEach(() => {
    shop.reset();
    Object.assign(place.env, recordPrograms({ ...programs, git: recordedGit(shop) }).env);
  });
  return { place, shop };
};
