import { type KnownConnection, type KnownDatabase, type KnownProject, answeredConnection } from "./known.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { listAt, textAt } from "./outcome.js";
import type { Answer } from "./request.js";
import { isRefused, readMarker } from "./tenant-sql.js";
import { Violation, eventually } from "./violation.js";

/** Calls the API until it is available. */
const call = async (
  dev: MgmtDev,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> => {
  let answer: Answer = { status: 0, body: {}, hasRetryAfter: false };
  await eventually(`${method} ${path}`, async () => {
    answer = await dev.call(token, method, path, body);
    if (answer.status === 503) return "it is unavailable";
    if (answer.status >= 500) throw new Violation(`${method} ${path}: ${describe(answer)}`);
    return undefined;
  });
  return answer;
};

const describe = ({ status, body }: Answer): string => `${String(status)} ${JSON.stringify(body)}`;

/** Lists all items of a path. */
export const listAll = async (dev: MgmtDev, token: string, path: string): Promise<unknown[]> => {
  const items: unknown[] = [];
  for (let cursor = ""; ;) {
    const query = `?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await call(dev, token, "GET", path + query);
    if (answer.status !== 200) throw new Violation(`GET ${path}: ${describe(answer)}`);
    items.push(...listAt(answer.body, "data"));
    cursor = textAt(answer.body, "pagination", "nextCursor");
    if (cursor === "") return items;
  }
};

/**
 * Returns the projects with one of the names, which must be complete.
 *
 * @param known ids of the other projects of the client.
 * @param owner name of the client, with which the names of its projects begin.
 * @throws Violation for a project that a refused request has created.
 */
export const findUncertainProjects = async (
  dev: MgmtDev,
  names: ReadonlySet<string>,
  { known, owner }: { known: ReadonlySet<string>; owner: string },
): Promise<KnownProject[]> => {
  const [token] = dev.tokens;
  const found: KnownProject[] = [];
  for (const item of await listAll(dev, token, "/v1/projects")) {
    const name = textAt(item, "name");
    if (!name.startsWith(`${owner}-`) || known.has(textAt(item, "id"))) continue;
    if (!names.has(name)) throw new Violation(`The project ${name} exists although nobody expects it`);
    const id = textAt(item, "id");
    const [database] = await listAll(dev, token, `/v1/projects/${id}/databases`);
    if (database === undefined) throw new Violation(`The project ${id} was created without its database`);
    found.push({
      id,
      workspaces: [0],
      databases: [await adopt(dev, token, textAt(database, "id"), [null], true)],
      isDeletionUncertain: false,
      uncertainDatabases: new Map(),
    });
  }
  return found;
};

/** Returns a database whose creation was not answered. A rotation gives access to it. */
const adopt = async (
  dev: MgmtDev,
  token: string,
  id: string,
  markers: (number | null)[],
  isDefault: boolean,
): Promise<KnownDatabase> => {
  const body = await becomesReady(dev, token, id);
  const connection = await rotate(dev, token, textAt(body, "data", "connections", 0, "id"));
  const name = new URL(connection.url).pathname.slice(1);
  const connections = [connection];
  const isUncertain = false;
  return {
    ...{ id, name, isDefault, markers, connections, isUncertain },
    backups: new Map(),
    isDeletionUncertain: false,
  };
};

const becomesReady = async (dev: MgmtDev, token: string, id: string): Promise<unknown> => {
  let body: unknown;
  await eventually(`The database ${id} is not ready`, async () => {
    const answer = await call(dev, token, "GET", `/v1/databases/${id}`);
    if (answer.status !== 200) throw new Violation(`The database ${id} is lost: ${describe(answer)}`);
    body = answer.body;
    const status = textAt(body, "data", "status");
    if (status === "failure") throw new Violation(`The database ${id} is in failure`);
    return status === "ready" ? undefined : status;
  });
  return body;
};

const rotate = async (dev: MgmtDev, token: string, id: string): Promise<KnownConnection> => {
  const answer = await call(dev, token, "POST", `/v1/connections/${id}/rotate`);
  if (answer.status !== 200)
    throw new Violation(`The connection ${id} cannot be rotated: ${describe(answer)}`);
  return answeredConnection(answer.body);
};

/**
 * Compares a project with what its client knows, and learns what became of unanswered changes. Returns whether the project
 * exists.
 *
 * @throws Violation when an acknowledged change is lost, or an unanswered one is half done.
 */
export const verifyProject = async (dev: MgmtDev, project: KnownProject): Promise<boolean> => {
  const path = `/v1/projects/${project.id}`;
  const found: (0 | 1)[] = [];
  for (const workspace of [0, 1] as const) {
    if ((await call(dev, dev.tokens[workspace], "GET", path)).status === 200) found.push(workspace);
  }
  const [workspace] = found;
  if (workspace === undefined) {
    if (project.isDeletionUncertain) return false;
    throw new Violation(`The project ${project.id} is lost`);
  }
  if (found.length > 1 || !project.workspaces.includes(workspace)) {
    throw new Violation(`The project ${project.id} is in the wrong workspace: ${found.join()}`);
  }
  project.workspaces = [workspace];
  const token = dev.tokens[workspace];
  if (project.isDeletionUncertain) {
    // It is complete or did not happen, even if it is completed later.
    for (const database of project.databases) await isIntactOrGone(dev, token, database);
    if (await deleteNow(dev, token, path)) return false;
    // The deletion was sent although the project has other databases.
    project.isDeletionUncertain = false;
  }
  const known = new Set(project.databases.map(({ id }) => id));
  for (const item of await listAll(dev, token, `${path}/databases`)) {
    const id = textAt(item, "id");
    if (known.has(id)) continue;
    const name = textAt(item, "name");
    const markers = project.uncertainDatabases.get(name);
    if (!markers) throw new Violation(`The database ${name} (${id}) exists although nobody expects it`);
    project.databases.push(await adopt(dev, token, id, markers, false));
  }
  project.uncertainDatabases.clear();
  for (const database of [...project.databases]) {
    if (!(await verifyDatabase(dev, token, database))) {
      project.databases.splice(project.databases.indexOf(database), 1);
    }
  }
  return true;
};

/** Returns false when a rule refuses the deletion. */
const deleteNow = async (dev: MgmtDev, token: string, path: string): Promise<boolean> => {
  const answer = await call(dev, token, "DELETE", path);
  if (answer.status === 204 || answer.status === 404) return true;
  if (textAt(answer.body, "error", "code") === "project:has_dependencies") return false;
  throw new Violation(`DELETE ${path}: ${describe(answer)}`);
};

/** Waits until a database with an unanswered deletion is gone or has its data. */
const isIntactOrGone = async (dev: MgmtDev, token: string, database: KnownDatabase): Promise<void> =>
  eventually(`The database ${database.id}, whose deletion was not answered`, async () => {
    const answer = await call(dev, token, "GET", `/v1/databases/${database.id}`);
    if (answer.status === 404) return undefined;
    // While a deletion is being completed, too.
    if (textAt(answer.body, "data", "status") === "failure") return "it is in failure";
    return wrongMarker(database);
  });

/** Returns what is wrong with the content of a database. */
const wrongMarker = async (database: KnownDatabase): Promise<string | undefined> => {
  const connection = database.connections.find(({ uncertain }) => uncertain === undefined);
  if (connection === undefined) return undefined;
  const marker = await readMarker(connection.url);
  return database.markers.includes(marker)
    ? undefined
    : `it contains ${String(marker)} instead of ${database.markers.join(" or ")}`;
};

/** Returns whether the database exists. */
const verifyDatabase = async (dev: MgmtDev, token: string, database: KnownDatabase): Promise<boolean> => {
  const path = `/v1/databases/${database.id}`;
  if (database.isDeletionUncertain) {
    await isIntactOrGone(dev, token, database);
    await deleteNow(dev, token, path);
    return false;
  }
  await becomesReady(dev, token, database.id);
  database.isUncertain = false;
  for (const connection of [...database.connections]) {
    if (!(await verifyConnection(dev, token, connection))) {
      database.connections.splice(database.connections.indexOf(connection), 1);
    }
  }
  for (const { url } of database.connections) {
    await eventually(`The database ${database.id}`, async () => {
      const marker = await readMarker(url);
      if (!database.markers.includes(marker)) {
        const expected = database.markers.map(String).join(" or ");
        throw new Violation(`The database ${database.id} contains ${String(marker)} instead of ${expected}`);
      }
      database.markers = [marker];
      return undefined;
    });
  }
  await verifyBackups(dev, token, database);
  return true;
};

/** Returns whether the connection exists. */
const verifyConnection = async (
  dev: MgmtDev,
  token: string,
  connection: KnownConnection,
): Promise<boolean> => {
  const path = `/v1/connections/${connection.id}`;
  if (connection.uncertain === "deleted") {
    await deleteNow(dev, token, path);
    await isEnded(connection.url);
    return false;
  }
  if (connection.uncertain === "rotated") {
    // The old password is valid, or the new one, which nobody knows, is stored. A rotation works in both cases.
    connection.ended.push(connection.url);
    connection.url = (await rotate(dev, token, connection.id)).url;
    connection.uncertain = undefined;
  }
  for (const url of connection.ended) await isEnded(url);
  connection.ended = [];
  return true;
};

const isEnded = (url: string): Promise<void> =>
  eventually("A connection string that was ended", async () => {
    if (await isRefused(url)) return undefined;
    throw new Violation(`The connection string of ${new URL(url).username} still works after its end`);
  });

const verifyBackups = async (dev: MgmtDev, token: string, database: KnownDatabase): Promise<void> =>
  eventually(`The backups of ${database.id}`, async () => {
    const { body } = await call(dev, token, "GET", `/v1/databases/${database.id}/backups`);
    const statuses = new Map(
      listAt(body, "data").map((item) => [textAt(item, "id"), textAt(item, "status")]),
    );
    for (const id of database.backups.keys()) {
      const status = statuses.get(id);
      if (status !== "completed") throw new Violation(`The completed backup ${id} is ${status ?? "lost"}`);
    }
    const failed = [...statuses].find(([, status]) => status === "failed");
    if (failed !== undefined) throw new Violation(`The backup ${failed[0]} failed`);
    const unfinished = [...statuses].filter(([, status]) => status === "running");
    return unfinished.length === 0 ? undefined : `${unfinished.join()} is still running`;
  });
