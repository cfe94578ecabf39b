import { setTimeout as sleep } from "node:timers/promises";
import {
  type KnownConnection,
  type KnownDatabase,
  type KnownProject,
  type Marker,
  connectionIn,
  databaseIn,
  remove,
} from "./known.js";
import type { LoadTarget } from "./mgmt-dev.js";
import type { Random } from "./random.js";
import { type Outcome, isRecord, outcomeOf, textAt } from "./request.js";
import { readMarker, writeMarker } from "./tenant-sql.js";
import { verifyProjects } from "./verify.js";
import { Violation } from "./violation.js";

/** Limits per client, which keep a run of many faults at a constant size. */
const [maxProjects, maxDatabases, maxBackups, maxConnections] = [2, 3, 2, 3];
/** Time until the next request after one that had no effect, in milliseconds. */
const pause = 20;

/** Changes its own projects one request at a time, and remembers what the responses promised. */
export class LoadClient {
  readonly #projects: KnownProject[] = [];
  /** Names of projects that may exist. */
  readonly #unsureNames = new Set<string>();
  #created = 0;
  #written = 0;
  #isStopped = false;

  constructor(
    private readonly dev: LoadTarget,
    private readonly random: Random,
    private readonly name: string,
  ) {}

  /** Sends requests until `stop` is called. A project is left alone when the outcome of a change is unknown. */
  async run(): Promise<void> {
    this.#isStopped = false;
    while (!this.#isStopped) if (!(await this.#change())) await sleep(pause);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Compares what the platform has with what it promised. Deletes the projects for which the outcome of a change is unknown. */
  async verify(): Promise<void> {
    await verifyProjects(this.dev, this.#projects, this.name, this.#unsureNames);
    this.#projects.splice(0, Infinity, ...this.#projects.filter(({ isUnsure }) => !isUnsure));
    this.#unsureNames.clear();
  }

  /** Makes one of the changes that are possible. Returns whether something was changed. */
  #change(): Promise<boolean> {
    const { random } = this;
    const project = random.oneOf(this.#projects.filter(({ isUnsure }) => !isUnsure));
    if (!project) return this.#createProject();
    const database = random.pick(project.databases);
    const connection = random.pick(database.connections);
    const changes = [
      () => (this.#projects.length < maxProjects ? this.#createProject() : this.#deleteProject(project)),
      () => this.#addDatabase(project, {}, [null]),
      () => this.#clone(project, database),
      () => this.#transfer(project),
      () => this.#backup(database),
      () => this.#restore(project, database),
      () => this.#write(project, database, connection),
      () => this.#rotate(project, connection),
      () => this.#createConnection(project, database),
      () => this.#deleteConnection(project, database, connection),
      () => this.#deleteDatabase(project, database),
    ];
    return random.pick(changes)();
  }

  #call({ workspace }: KnownProject, method: string, path: string, body?: object): Promise<Outcome> {
    const token = this.dev.tokens[workspace];
    return outcomeOf(`${this.name}: ${method} ${path}`, () => this.dev.call(token, method, path, body));
  }

  /** Sends a change of a project. Returns the body of the response if it is done. */
  async #send(project: KnownProject, method: string, path: string, body?: object) {
    const outcome = await this.#call(project, method, path, body);
    if (outcome.type === "unknown") project.isUnsure = true;
    return outcome.type === "done" ? outcome.body : undefined;
  }

  #newName(): string {
    this.#created += 1;
    return `${this.name}-${String(this.#created)}`;
  }

  async #createProject(): Promise<boolean> {
    // Until the next verification, some have an unknown outcome.
    if (this.#projects.length + this.#unsureNames.size >= 3 * maxProjects) return false;
    const name = this.#newName();
    const outcome = await outcomeOf(`${this.name}: create a project`, () =>
      this.dev.call(this.dev.tokens[0], "POST", "/v1/projects", { name }),
    );
    if (outcome.type === "unknown") this.#unsureNames.add(name);
    if (outcome.type !== "done") return false;
    const { data } = outcome.body;
    const database = databaseIn(isRecord(data) ? data["database"] : {}, [null], true);
    const project: KnownProject = {
      ...{ id: textAt(data, "id"), workspace: 0, databases: [database] },
      ...{ unsureDatabases: new Map<string, Marker[]>(), ended: [], isUnsure: false, isDeleting: false },
    };
    this.#projects.push(project);
    return this.#becomesReady(project, database);
  }

  async #deleteProject(project: KnownProject): Promise<boolean> {
    const path = `/v1/projects/${project.id}`;
    const isDone = (await this.#send(project, "DELETE", path)) !== undefined;
    project.isDeleting = project.isUnsure;
    if (isDone) remove(this.#projects, project);
    return isDone && this.#isGone(project, path);
  }

  async #clone(project: KnownProject, { id: databaseId, markers, backups }: KnownDatabase): Promise<boolean> {
    const backup = this.random.oneOf([undefined, ...backups]);
    return backup
      ? this.#addDatabase(project, { source: { type: "backup", databaseId, backupId: backup[0] } }, backup[1])
      : this.#addDatabase(project, { source: { type: "database", databaseId } }, markers);
  }

  async #addDatabase(project: KnownProject, body: object, markers: readonly Marker[]): Promise<boolean> {
    if (project.databases.length >= maxDatabases) return false;
    const name = this.#newName();
    const path = `/v1/projects/${project.id}/databases`;
    const response = await this.#send(project, "POST", path, { name, ...body });
    if (project.isUnsure) project.unsureDatabases.set(name, [...markers]);
    if (!response) return false;
    const database = databaseIn(response["data"], markers, false);
    project.databases.push(database);
    return this.#becomesReady(project, database);
  }

  async #deleteDatabase(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    if (database.isDefault) return false;
    const path = `/v1/databases/${database.id}`;
    const isDone = (await this.#send(project, "DELETE", path)) !== undefined;
    if (isDone || project.isUnsure) remove(project.databases, database);
    return isDone && this.#isGone(project, path);
  }

  async #backup({ id, backups, markers }: KnownDatabase): Promise<boolean> {
    if (backups.size >= maxBackups) return false;
    const request = () => this.dev.control("POST", `/databases/${id}/backups`);
    const outcome = await outcomeOf(`${this.name}: back up`, request);
    // The response of a backup that is interrupted says that it is running.
    if (outcome.type !== "done" || outcome.body["status"] !== "completed") return false;
    backups.set(textAt(outcome.body, "id"), [...markers]);
    return true;
  }

  async #restore(project: KnownProject, database: KnownDatabase): Promise<boolean> {
    const backup = this.random.oneOf([...database.backups]);
    if (!backup) return false;
    const [backupId, markers] = backup;
    const source = { type: "backup", databaseId: database.id, backupId };
    const path = `/v1/databases/${database.id}/restore`;
    const isDone = (await this.#send(project, "POST", path, { source })) !== undefined;
    if (project.isUnsure) database.markers.push(...markers);
    if (isDone) database.markers = [...markers];
    return isDone && this.#becomesReady(project, database);
  }

  async #write(project: KnownProject, database: KnownDatabase, { url }: KnownConnection): Promise<boolean> {
    const value = (this.#written += 1);
    try {
      await writeMarker(url, value);
      database.markers = [value];
      return (await readMarker(url)) === value;
    } catch (error) {
      if (error instanceof Violation) throw error;
      database.markers.push(value);
      // A session that has lost its client may still commit.
      project.isUnsure = true;
      return false;
    }
  }

  async #createConnection(project: KnownProject, { id, connections }: KnownDatabase): Promise<boolean> {
    if (connections.length >= maxConnections) return false;
    const body = await this.#send(project, "POST", `/v1/databases/${id}/connections`, { name: "more" });
    if (body) connections.push(connectionIn(body));
    return body !== undefined;
  }

  async #rotate(project: KnownProject, connection: KnownConnection): Promise<boolean> {
    const { id, url } = connection;
    const body = await this.#send(project, "POST", `/v1/connections/${id}/rotate`);
    // Neither the old connection string nor another one is known to work.
    if (project.isUnsure) connection.url = "";
    if (!body) return false;
    project.ended.push(url);
    connection.url = connectionIn(body).url;
    return true;
  }

  async #deleteConnection(
    project: KnownProject,
    { connections }: KnownDatabase,
    connection: KnownConnection,
  ): Promise<boolean> {
    if (connections.length === 1) return false;
    const isDone = (await this.#send(project, "DELETE", `/v1/connections/${connection.id}`)) !== undefined;
    if (isDone || project.isUnsure) remove(connections, connection);
    if (isDone) project.ended.push(connection.url);
    return isDone;
  }

  async #transfer(project: KnownProject): Promise<boolean> {
    const to = project.workspace === 0 ? 1 : 0;
    const recipient = { recipientAccessToken: this.dev.userTokens[to] };
    if (!(await this.#send(project, "POST", `/v1/projects/${project.id}/transfer`, recipient))) return false;
    project.workspace = to;
    return true;
  }

  /** Waits until a database is ready, or the load ends. */
  async #becomesReady(project: KnownProject, { id }: KnownDatabase): Promise<boolean> {
    for (; !this.#isStopped; await sleep(10)) {
      const outcome = await this.#call(project, "GET", `/v1/databases/${id}`);
      const status = outcome.type === "done" ? textAt(outcome.body, "data", "status") : "";
      if (status === "failure") throw new Violation(`The database ${id} is in failure`);
      if (status === "ready") return true;
    }
    return false;
  }

  async #isGone(project: KnownProject, path: string): Promise<boolean> {
    const { type } = await this.#call(project, "GET", path);
    if (type === "done") throw new Violation(`${path} exists after its deletion`);
    return true;
  }
}
