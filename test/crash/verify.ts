import { type KnownDatabase, type KnownProject, type Marker, connectionIn } from "./known.js";
import type { LoadTarget } from "./mgmt-dev.js";
import { type Answer, describe, listAt, textAt } from "./request.js";
import { isRejected, readMarker } from "./tenant-sql.js";
import { Violation, eventually } from "./violation.js";

/** The API for one token. Repeats requests until it is available. */
export class Api {
  constructor(
    private readonly dev: LoadTarget,
    private readonly token: string,
  ) {}

  async send(method: string, path: string, body?: object): Promise<Answer> {
    let answer: Answer = { status: 0, body: {}, hasRetryAfter: false };
    await eventually(`${method} ${path}`, async () => {
      answer = await this.dev.call(this.token, method, path, body);
      if (answer.status === 503) return "it is unavailable";
      if (answer.status >= 500) throw new Violation(`${method} ${path}: ${describe(answer)}`);
      return undefined;
    });
    return answer;
  }

  /** Lists all items of a path; none of what is deleted meanwhile. */
  async list(path: string): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let cursor = ""; ;) {
      const query = `?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const answer = await this.send("GET", path + query);
      if (answer.status === 404) return [];
      if (answer.status !== 200) throw new Violation(`GET ${path}: ${describe(answer)}`);
      items.push(...listAt(answer.body, "data"));
      cursor = textAt(answer.body, "pagination", "nextCursor");
      if (cursor === "") return items;
    }
  }

  async delete(path: string): Promise<void> {
    const answer = await this.send("DELETE", path);
    if (answer.status !== 204 && answer.status !== 404)
      throw new Violation(`DELETE ${path}: ${describe(answer)}`);
  }
}

/**
 * Compares the projects of a client with what it knows. Deletes those for which the outcome of a change is unknown.
 *
 * @param owner name of the client, with which the names of its projects begin.
 * @param unsureNames names of projects that may exist.
 * @throws Violation when a confirmed change is lost, or one with an unknown outcome is half done.
 */
export const verifyProjects = async (
  dev: LoadTarget,
  projects: readonly KnownProject[],
  owner: string,
  unsureNames: ReadonlySet<string>,
): Promise<void> => {
  const present = new Map<string, number>();
  for (const [workspace, token] of dev.tokens.entries()) {
    const api = new Api(dev, token);
    for (const item of await api.list("/v1/projects")) {
      const [id, name] = [textAt(item, "id"), textAt(item, "name")];
      if (!name.startsWith(`${owner}-`)) continue;
      if (present.has(id)) throw new Violation(`The project ${name} is in both workspaces`);
      present.set(id, workspace);
      const project = projects.find((known) => known.id === id);
      if (!project && !unsureNames.has(name))
        throw new Violation(`The project ${name} exists although nobody expects it`);
      if (project && !project.isUnsure && project.workspace !== workspace)
        throw new Violation(`The project ${name} is in the wrong workspace`);
      await verifyDatabases(api, id, project);
      if (!project || project.isUnsure) await deleteProject(api, id);
    }
  }
  const lost = projects.find(({ id, isDeleting }) => !present.has(id) && !isDeleting);
  if (lost) throw new Violation(`The project ${lost.id} is lost`);
};

/** @param project undefined for one that a request with an unknown outcome has created. */
const verifyDatabases = async (api: Api, id: string, project: KnownProject | undefined): Promise<void> => {
  const items = await api.list(`/v1/projects/${id}/databases`);
  const listed = items.map((item) => textAt(item, "id"));
  if (listed.length === 0 && !project?.isDeleting)
    throw new Violation(`The project ${id} exists without its database`);
  const isSure = project !== undefined && !project.isUnsure;
  for (const item of items) {
    const databaseId = textAt(item, "id");
    const unsureMarkers = project?.unsureDatabases.get(textAt(item, "name"));
    const known = project?.databases.find((database) => database.id === databaseId);
    if (isSure && !known) throw new Violation(`The database ${databaseId} exists although nobody expects it`);
    await eventually(`The database ${databaseId} is not ready`, async () => {
      const { status, body } = await api.send("GET", `/v1/databases/${databaseId}`);
      // A deletion may be completed later.
      if (status === 404 && !isSure) return undefined;
      const state = textAt(body, "data", "status");
      if (isSure && state === "failure") throw new Violation(`The database ${databaseId} is in failure`);
      if (state !== "ready") return `${String(status)} ${state}`;
      if (known) await verifyContent(known);
      if (unsureMarkers) await verifyUnsureContent(api, databaseId, unsureMarkers);
      return undefined;
    });
  }
  if (!project || project.isDeleting) return;
  for (const database of project.databases) {
    if (!listed.includes(database.id)) throw new Violation(`The database ${database.id} is lost`);
    await verifyBackups(api, database);
  }
  for (const url of project.ended.splice(0)) {
    await eventually("A connection string that was ended", async () => {
      if (await isRejected(url)) return undefined;
      throw new Violation(`The connection string of ${new URL(url).username} still works after its end`);
    });
  }
};

/** Checks that all connection strings work, and lead to what the database must contain. */
const verifyContent = async (database: KnownDatabase): Promise<void> => {
  for (const { url } of database.connections.filter((connection) => connection.url !== ""))
    database.markers = [await verifyMarker(url, database.id, database.markers)];
};

/** Checks the content of a database that a request with an unknown outcome has created, so that nobody has its connection string. */
const verifyUnsureContent = async (api: Api, id: string, markers: readonly Marker[]): Promise<void> => {
  const answer = await api.send("POST", `/v1/databases/${id}/connections`, { name: "verify" });
  if (answer.status !== 200) throw new Violation(`A connection of ${id}: ${describe(answer)}`);
  await verifyMarker(connectionIn(answer.body).url, id, markers);
};

/** Returns the marker of a database, which must be one of those that are possible. */
const verifyMarker = async (url: string, id: string, markers: readonly Marker[]): Promise<Marker> => {
  const marker = await readMarker(url);
  if (markers.includes(marker)) return marker;
  throw new Violation(
    `The database ${id} contains ${String(marker)} instead of ${markers.map(String).join(" or ")}`,
  );
};

const verifyBackups = (api: Api, { id: databaseId, backups }: KnownDatabase): Promise<void> =>
  eventually(`The backups of ${databaseId}`, async () => {
    const { body } = await api.send("GET", `/v1/databases/${databaseId}/backups`);
    const statuses = new Map(
      listAt(body, "data").map((item) => [textAt(item, "id"), textAt(item, "status")]),
    );
    for (const id of backups.keys()) {
      const status = statuses.get(id) ?? "lost";
      if (status !== "completed") throw new Violation(`The completed backup ${id} is ${status}`);
    }
    for (const [id, status] of statuses) {
      if (status === "failed") throw new Violation(`The backup ${id} failed`);
      if (status === "running") return `${id} is still running`;
    }
    return undefined;
  });

/** Deletes a project with its databases. */
const deleteProject = async (api: Api, id: string): Promise<void> => {
  for (const item of await api.list(`/v1/projects/${id}/databases`)) {
    const isDefault = item !== null && typeof item === "object" && "isDefault" in item && item.isDefault;
    if (!isDefault) await api.delete(`/v1/databases/${textAt(item, "id")}`);
  }
  await api.delete(`/v1/projects/${id}`);
};
