import {
  type KnownConnection,
  type KnownDatabase,
  type KnownProject,
  answeredConnection,
  answeredDatabase,
} from "./known.js";
import type { Answer, MgmtDev } from "./mgmt-dev.js";
import { type Outcome, send, textAt } from "./outcome.js";
import type { Random } from "./random.js";
import { readMarker, writeMarker } from "./tenant-sql.js";
import { findUncertainProjects, verifyProject } from "./verify.js";
import { Violation } from "./violation.js";

/** Limits per client, which keep a run of many kills at a constant size. */
const maxProjects = 2;
const maxDatabases = 3;
const maxBackups = 2;

let markers = 0;

/** Changes its own projects one request at a time, and remembers what the answers promised. */
export class LoadClient {
  readonly projects: KnownProject[] = [];
  /** Names of projects whose creation was not answered. */
  readonly #uncertainNames = new Set<string>();
  readonly #dev: MgmtDev;
  readonly #random: Random;
  readonly #name: string;
  #created = 0;
  /** The change that has no answer yet. */
  #pending: string | undefined;
  #stopped = false;
  readonly #counts: Map<string, number>;

  /** @param counts acknowledged requests by operation, which the client adds to. */
  constructor(dev: MgmtDev, random: Random, name: string, counts: Map<string, number>) {
    this.#dev = dev;
    this.#random = random;
    this.#name = name;
    this.#counts = counts;
  }

  /** Sends requests until `stop` is called, or until an answer stays away. */
  async run(): Promise<void> {
    this.#stopped = false;
    while (!this.#stopped) if (!(await this.#step())) return;
  }

  get pending(): string | undefined {
    return this.#pending;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Compares what the platform has with what its answers promised, and learns what became of unanswered changes. */
  async verify(): Promise<void> {
    this.projects.push(...(await findUncertainProjects(this.#dev, this.#uncertainNames)));
    this.#uncertainNames.clear();
    for (const project of [...this.projects]) {
      if (!(await verifyProject(this.#dev, project))) this.projects.splice(this.projects.indexOf(project), 1);
    }
  }

  /** Returns false when the next step must wait for a verification. */
  async #step(): Promise<boolean> {
    const random = this.#random;
    if (this.projects.length === 0) return this.#createProject();
    const project = random.pick(this.projects);
    const database = random.pick(project.databases);
    const connection = random.pick(database.connections);
    const steps: (() => Promise<boolean>)[] = [
      () => this.#write(database, connection),
      () => this.#rotate(project, connection),
      () => this.#backup(database),
      () => this.#restore(project, database),
      () => this.#clone(project, database),
      () => this.#createDatabase(project),
      () => this.#addConnection(project, database),
      () => this.#deleteConnection(project, database, connection),
      () => this.#deleteDatabase(project, database),
      () => this.#transfer(project),
      () => this.#createProject(),
    ];
    return random.pick(steps)();
  }

  #call(project: KnownProject, method: string, path: string, body?: object): Promise<Answer> {
    return this.#dev.call(this.#dev.tokens[project.workspaces[0] ?? 0], method, path, body);
  }

  async #send(operation: string, request: () => Promise<Answer>): Promise<Outcome> {
    this.#pending = operation;
    const outcome = await send(`${this.#name}: ${operation}`, request).finally(() => {
      this.#pending = undefined;
    });
    const key = outcome.type === "acknowledged" ? operation : `${operation} (${outcome.type})`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return outcome;
  }

  async #createProject(): Promise<boolean> {
    if (this.projects.length >= maxProjects) return this.#deleteProject(this.#random.pick(this.projects));
    this.#created += 1;
    const name = `${this.#name}-${String(this.#created)}`;
    const outcome = await this.#send("create project", () =>
      this.#dev.call(this.#dev.tokens[0], "POST", "/v1/projects", { name }),
    );
    if (outcome.type === "unanswered") this.#uncertainNames.add(name);
    if (outcome.type !== "acknowledged") return outcome.type === "refused";
    const database = answeredDatabase(
      textAt(outcome.body, "data", "database", "id"),
      outcome.body,
      "database",
    );
    const project: KnownProject = {
      id: textAt(outcome.body, "data", "id"),
      workspaces: [0],
      databases: [{ ...database, isDefault: true }],
      isDeletionUncertain: false,
      uncertainDatabases: new Map(),
    };
    this.projects.push(project);
    return this.#becomesReady(project, database.id);
  }

  async #deleteProject(project: KnownProject): Promise<boolean> {
    const outcome = await this.#send("delete project", () =>
      this.#call(project, "DELETE", `/v1/projects/${project.id}`),
    );
    if (outcome.type === "acknowledged") {
      this.projects.splice(this.projects.indexOf(project), 1);
      return this.#isGone(project, `/v1/projects/${project.id}`);
    }
    project.isDeletionUncertain = outcome.type === "unanswered";
    return outcome.type === "refused";
  }

  #createDatabase(project: KnownProject): Promise<boolean> {
    return this.#addDatabase("create database", project, {}, [null]);
  }

  async #clone(project: KnownProject, from: KnownDatabase): Promise<boolean> {
    const [backupId, markersOf] = this.#random.pick([...from.backups, ["", from.markers] as const]);
    const source =
      backupId === ""
        ? { type: "database", databaseId: from.id }
        : { type: "backup", databaseId: from.id, backupId };
    return this.#addDatabase("clone", project, { source }, markersOf);
  }

  async #addDatabase(
    operation: string,
    project: KnownProject,
    body: object,
    markersOf: (number | null)[],
  ): Promise<boolean> {
    if (project.databases.length >= maxDatabases) {
      return this.#deleteDatabase(project, this.#random.pick(project.databases));
    }
    this.#created += 1;
    const name = `${this.#name}-${String(this.#created)}`;
    const outcome = await this.#send(operation, () =>
      this.#call(project, "POST", `/v1/projects/${project.id}/databases`, { name, ...body }),
    );
    if (outcome.type === "unanswered") project.uncertainDatabases.set(name, [...markersOf]);
    if (outcome.type !== "acknowledged") return outcome.type === "refused";
    const database = answeredDatabase(textAt(outcome.body, "data", "id"), outcome.body);
    project.databases.push({ ...database, markers: [...markersOf] });
    return this.#becomesReady(project, database.id);
  }

  async #deleteDatabase(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    if (database.isDefault) return true;
    const path = `/v1/databases/${database.id}`;
    const outcome = await this.#send("delete database", () => this.#call(project, "DELETE", path));
    if (outcome.type === "acknowledged") {
      project.databases.splice(project.databases.indexOf(database), 1);
      return this.#isGone(project, path);
    }
    database.isDeletionUncertain = outcome.type === "unanswered";
    return outcome.type === "refused";
  }

  async #backup(database: KnownDatabase): Promise<boolean> {
    if (database.backups.size >= maxBackups) return true;
    const outcome = await this.#send("back up", () =>
      this.#dev.control("POST", `/databases/${database.id}/backups`),
    );
    if (outcome.type === "unanswered") return false;
    if (outcome.type === "refused") return true;
    // The response of a backup that is interrupted says that it is running.
    const completed = textAt(outcome.body, "status") === "completed";
    if (completed) database.backups.set(textAt(outcome.body, "id"), [...database.markers]);
    return completed;
  }

  async #restore(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    if (database.backups.size === 0) return true;
    const [backupId, backedUp] = this.#random.pick([...database.backups]);
    const outcome = await this.#send("restore", () =>
      this.#call(project, "POST", `/v1/databases/${database.id}/restore`, {
        source: { type: "backup", databaseId: database.id, backupId },
      }),
    );
    if (outcome.type === "refused") return true;
    if (outcome.type === "unanswered") {
      database.markers.push(...backedUp);
      return false;
    }
    database.markers = [...backedUp];
    return this.#becomesReady(project, database.id);
  }

  async #write(database: KnownDatabase, { url }: KnownConnection): Promise<boolean> {
    markers += 1;
    const value = markers;
    try {
      await writeMarker(url, value);
      database.markers = [value];
      return (await readMarker(url)) === value;
    } catch {
      database.markers.push(value);
      return false;
    }
  }

  async #addConnection(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    if (database.connections.length > 2) return true;
    const outcome = await this.#send("create connection", () =>
      this.#call(project, "POST", `/v1/databases/${database.id}/connections`, { name: "more" }),
    );
    if (outcome.type !== "acknowledged") return outcome.type === "refused";
    database.connections.push(answeredConnection(outcome.body));
    return true;
  }

  async #rotate(project: KnownProject, connection: KnownConnection): Promise<boolean> {
    const outcome = await this.#send("rotate", () =>
      this.#call(project, "POST", `/v1/connections/${connection.id}/rotate`),
    );
    if (outcome.type === "unanswered") connection.uncertain = "rotated";
    if (outcome.type !== "acknowledged") return outcome.type === "refused";
    connection.ended = [connection.url];
    connection.url = answeredConnection(outcome.body).url;
    return true;
  }

  async #deleteConnection(
    project: KnownProject,
    database: KnownDatabase,
    connection: KnownConnection,
  ): Promise<boolean> {
    if (database.connections.length === 1) return true;
    const outcome = await this.#send("delete connection", () =>
      this.#call(project, "DELETE", `/v1/connections/${connection.id}`),
    );
    if (outcome.type === "unanswered") connection.uncertain = "deleted";
    if (outcome.type !== "acknowledged") return outcome.type === "refused";
    database.connections.splice(database.connections.indexOf(connection), 1);
    return true;
  }

  async #transfer(project: KnownProject): Promise<boolean> {
    const to = project.workspaces[0] === 0 ? 1 : 0;
    const outcome = await this.#send("transfer", () =>
      this.#call(project, "POST", `/v1/projects/${project.id}/transfer`, {
        recipientAccessToken: this.#dev.userTokens[to],
      }),
    );
    if (outcome.type === "unanswered") project.workspaces.push(to);
    if (outcome.type !== "acknowledged") return outcome.type === "refused";
    project.workspaces = [to];
    return true;
  }

  /** Waits until a database is ready. Returns false when that takes a verification. */
  async #becomesReady(project: KnownProject, databaseId: string): Promise<boolean> {
    for (;;) {
      const outcome = await send("get database", () =>
        this.#call(project, "GET", `/v1/databases/${databaseId}`),
      );
      if (outcome.type !== "acknowledged" || this.#stopped) return false;
      const status = textAt(outcome.body, "data", "status");
      if (status === "ready") return true;
      if (status === "failure") return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async #isGone(project: KnownProject, path: string): Promise<boolean> {
    const outcome = await send("get what was deleted", () => this.#call(project, "GET", path));
    if (outcome.type === "acknowledged") throw new Violation(`${path} exists after its deletion`);
    return outcome.type === "refused";
  }
}
