import { setTimeout as sleep } from "node:timers/promises";
import {
  type KnownConnection,
  type KnownDatabase,
  type KnownProject,
  answeredConnection,
  answeredDatabase,
} from "./known.js";
import type { Answers } from "./answers.js";
import { ChangeSender } from "./change-sender.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { send, textAt } from "./outcome.js";
import type { Random } from "./random.js";
import type { Answer } from "./request.js";
import { readMarker, writeMarker } from "./tenant-sql.js";
import { findUncertainProjects, verifyProject } from "./verify.js";
import { Violation } from "./violation.js";

/** Limits per client, which keep a run of many kills at a constant size. */
const maxProjects = 2;
const maxDatabases = 3;
const maxBackups = 2;
/** Projects that a client may set aside until the next verification. */
const maxUncertainProjects = 4;

/** Time until the next request after one that had no effect, in milliseconds. */
const pause = 20;

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
  #stopped = false;
  readonly #changes: ChangeSender;

  /** @param answers which the client adds to. */
  constructor(dev: MgmtDev, random: Random, name: string, answers: Answers) {
    this.#dev = dev;
    this.#random = random;
    this.#name = name;
    this.#changes = new ChangeSender(dev, random, name, answers);
  }

  /** Sends requests until `stop` is called. What became uncertain is left alone until the next verification. */
  async run(): Promise<void> {
    this.#stopped = false;
    while (!this.#stopped) if (!(await this.#step())) await sleep(pause);
  }

  /** The change that has no answer yet. */
  get pending(): string | undefined {
    return this.#changes.pending;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Compares what the platform has with what its answers promised, and learns what became of unanswered changes. */
  async verify(): Promise<void> {
    const known = new Set(this.projects.map(({ id }) => id));
    this.projects.push(
      ...(await findUncertainProjects(this.#dev, this.#uncertainNames, { known, owner: this.#name })),
    );
    this.#uncertainNames.clear();
    for (const project of [...this.projects]) {
      if (!(await verifyProject(this.#dev, project))) this.projects.splice(this.projects.indexOf(project), 1);
    }
  }

  get #certainProjects(): KnownProject[] {
    return this.projects.filter(
      ({ isDeletionUncertain, workspaces }) => !isDeletionUncertain && workspaces.length === 1,
    );
  }

  /** Returns false when nothing was changed. */
  async #step(): Promise<boolean> {
    const random = this.#random;
    const projects = this.#certainProjects;
    if (projects.length === 0) return this.#createProject();
    const project = random.pick(projects);
    const databases = project.databases.filter((each) => !each.isDeletionUncertain && !each.isUncertain);
    const steps = [
      () => this.#createDatabase(project),
      () => this.#transfer(project),
      () => this.#createProject(),
    ];
    if (databases.length > 0) steps.push(...this.#databaseSteps(project, random.pick(databases)));
    return random.pick(steps)();
  }

  #databaseSteps(project: KnownProject, database: KnownDatabase): (() => Promise<boolean>)[] {
    const connections = database.connections.filter(({ uncertain }) => uncertain === undefined);
    const steps = [
      () => this.#backup(database),
      () => this.#restore(project, database),
      () => this.#clone(project, database),
      () => this.#addConnection(project, database),
      () => this.#deleteDatabase(project, database),
    ];
    if (connections.length === 0) return steps;
    const connection = this.#random.pick(connections);
    return [
      ...steps,
      () => this.#write(database, connection),
      () => this.#rotate(project, connection),
      () => this.#deleteConnection(project, database, connection),
    ];
  }

  #tokenOf(project: KnownProject): string {
    return this.#dev.tokens[project.workspaces[0] ?? 0];
  }

  #call(project: KnownProject, method: string, path: string, body?: object): Promise<Answer> {
    return this.#dev.call(this.#tokenOf(project), method, path, body);
  }

  async #createProject(): Promise<boolean> {
    const projects = this.#certainProjects;
    if (projects.length >= maxProjects) return this.#deleteProject(this.#random.pick(projects));
    if (this.projects.length + this.#uncertainNames.size >= maxProjects + maxUncertainProjects) return false;
    this.#created += 1;
    const name = `${this.#name}-${String(this.#created)}`;
    const outcome = await this.#changes.send("create project", () =>
      this.#dev.call(this.#dev.tokens[0], "POST", "/v1/projects", { name }),
    );
    if (outcome.type === "unanswered") this.#uncertainNames.add(name);
    if (outcome.type !== "acknowledged") return false;
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
    return this.#becomesReady(project, project.databases);
  }

  async #deleteProject(project: KnownProject): Promise<boolean> {
    const path = `/v1/projects/${project.id}`;
    const outcome = await this.#changes.delete("delete project", this.#tokenOf(project), path, (client) =>
      client.projects.delete(project.id),
    );
    if (outcome.type === "acknowledged") {
      this.projects.splice(this.projects.indexOf(project), 1);
      return this.#isGone(project, path);
    }
    project.isDeletionUncertain = outcome.type === "unanswered";
    return false;
  }

  #createDatabase(project: KnownProject): Promise<boolean> {
    return this.#addDatabase("create database", project, {}, { markers: [null] });
  }

  async #clone(project: KnownProject, from: KnownDatabase): Promise<boolean> {
    const [backupId, markersOf] = this.#random.pick([...from.backups, ["", from.markers] as const]);
    const source =
      backupId === ""
        ? { type: "database", databaseId: from.id }
        : { type: "backup", databaseId: from.id, backupId };
    // Only the copy of a database can get what is written later.
    const copied = backupId === "" ? from : undefined;
    return this.#addDatabase("clone", project, { source }, { markers: markersOf, copied });
  }

  async #addDatabase(
    operation: string,
    project: KnownProject,
    body: object,
    { markers: markersOf, copied }: { markers: (number | null)[]; copied?: KnownDatabase | undefined },
  ): Promise<boolean> {
    if (project.databases.length + project.uncertainDatabases.size >= maxDatabases) return false;
    this.#created += 1;
    const name = `${this.#name}-${String(this.#created)}`;
    const outcome = await this.#changes.send(operation, () =>
      this.#call(project, "POST", `/v1/projects/${project.id}/databases`, { name, ...body }),
    );
    if (outcome.type === "unanswered") {
      project.uncertainDatabases.set(name, [...markersOf]);
      if (copied) copied.isUncertain = true;
    }
    if (outcome.type !== "acknowledged") return false;
    const answered = answeredDatabase(textAt(outcome.body, "data", "id"), outcome.body);
    const database = { ...answered, markers: [...markersOf] };
    project.databases.push(database);
    return this.#becomesReady(project, [database, ...(copied ? [copied] : [])]);
  }

  async #deleteDatabase(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    if (database.isDefault) return false;
    const path = `/v1/databases/${database.id}`;
    const outcome = await this.#changes.delete("delete database", this.#tokenOf(project), path, (client) =>
      client.databases.delete(database.id),
    );
    if (outcome.type === "acknowledged") {
      project.databases.splice(project.databases.indexOf(database), 1);
      return this.#isGone(project, path);
    }
    database.isDeletionUncertain = outcome.type === "unanswered";
    return false;
  }

  async #backup(database: KnownDatabase): Promise<boolean> {
    if (database.backups.size >= maxBackups) return false;
    const outcome = await this.#changes.send("back up", () =>
      this.#dev.control("POST", `/databases/${database.id}/backups`),
    );
    if (outcome.type !== "acknowledged") return false;
    // The response of a backup that is interrupted says that it is running.
    const completed = textAt(outcome.body, "status") === "completed";
    if (completed) database.backups.set(textAt(outcome.body, "id"), [...database.markers]);
    return completed;
  }

  async #restore(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    if (database.backups.size === 0) return false;
    const [backupId, backedUp] = this.#random.pick([...database.backups]);
    const outcome = await this.#changes.send("restore", () =>
      this.#call(project, "POST", `/v1/databases/${database.id}/restore`, {
        source: { type: "backup", databaseId: database.id, backupId },
      }),
    );
    if (outcome.type === "unanswered") {
      database.markers.push(...backedUp);
      database.isUncertain = true;
    }
    if (outcome.type !== "acknowledged") return false;
    database.markers = [...backedUp];
    return this.#becomesReady(project, [database]);
  }

  async #write(database: KnownDatabase, { url }: KnownConnection): Promise<boolean> {
    markers += 1;
    const value = markers;
    try {
      await writeMarker(url, value);
      database.markers = [value];
      return (await readMarker(url)) === value;
    } catch (error) {
      if (error instanceof Violation) throw error;
      database.markers.push(value);
      // A session that has lost its client may still commit.
      database.isUncertain = true;
      return false;
    }
  }

  async #addConnection(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    if (database.connections.length > 2) return false;
    const outcome = await this.#changes.send("create connection", () =>
      this.#call(project, "POST", `/v1/databases/${database.id}/connections`, { name: "more" }),
    );
    if (outcome.type !== "acknowledged") return false;
    database.connections.push(answeredConnection(outcome.body));
    return true;
  }

  async #rotate(project: KnownProject, connection: KnownConnection): Promise<boolean> {
    const outcome = await this.#changes.rotate(this.#tokenOf(project), connection.id);
    if (outcome.type === "unanswered") connection.uncertain = "rotated";
    if (outcome.type !== "acknowledged") return false;
    connection.ended = [connection.url];
    connection.url = answeredConnection(outcome.body).url;
    return true;
  }

  async #deleteConnection(
    project: KnownProject,
    database: KnownDatabase,
    connection: KnownConnection,
  ): Promise<boolean> {
    if (database.connections.length === 1) return false;
    const outcome = await this.#changes.send("delete connection", () =>
      this.#call(project, "DELETE", `/v1/connections/${connection.id}`),
    );
    if (outcome.type === "unanswered") connection.uncertain = "deleted";
    if (outcome.type !== "acknowledged") return false;
    database.connections.splice(database.connections.indexOf(connection), 1);
    return true;
  }

  async #transfer(project: KnownProject): Promise<boolean> {
    const to = project.workspaces[0] === 0 ? 1 : 0;
    const outcome = await this.#changes.send("transfer", () =>
      this.#call(project, "POST", `/v1/projects/${project.id}/transfer`, {
        recipientAccessToken: this.#dev.userTokens[to],
      }),
    );
    if (outcome.type === "unanswered") project.workspaces.push(to);
    if (outcome.type !== "acknowledged") return false;
    project.workspaces = [to];
    return true;
  }

  /**
   * Waits until the first of the databases is ready. Sets all of them aside and returns false if the load ends before.
   *
   * @param databases the new one, and those whose data it gets.
   */
  async #becomesReady(project: KnownProject, databases: readonly KnownDatabase[]): Promise<boolean> {
    const path = `/v1/databases/${databases[0]?.id ?? ""}`;
    for (; !this.#stopped; await sleep(10)) {
      const outcome = await send("get database", () => this.#call(project, "GET", path));
      if (outcome.type !== "acknowledged") continue;
      const status = textAt(outcome.body, "data", "status");
      if (status === "failure") throw new Violation(`${path} is in failure`);
      if (status === "ready") return true;
    }
    for (const database of databases) database.isUncertain = true;
    return false;
  }

  async #isGone(project: KnownProject, path: string): Promise<boolean> {
    const outcome = await send("get what was deleted", () => this.#call(project, "GET", path));
    if (outcome.type === "acknowledged") throw new Violation(`${path} exists after its deletion`);
    return true;
  }
}
