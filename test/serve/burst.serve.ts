import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { verifyObjects } from "../crash/postgres-objects.js";
import { textAt } from "../crash/request.js";
import { eventually } from "../crash/violation.js";
import { ServePlace, isFull } from "./place.js";
import type { ServerProcess } from "./server-process.js";

const place = new ServePlace();
const many = Number(process.env["MGMT_SERVE_DATABASES"] ?? 1_000);

/** How long a start may take, and a creation while databases are repaired, in milliseconds. */
const [maxStartMs, maxCreationMs] = [2_000, 5_000];

/** Creates a project, and returns the id of its database. */
const create = async (server: Pick<ServerProcess, "call">): Promise<string> => {
  const { status, body } = await server.call(place.tokens[0], "POST", "/v1/projects", {});
  expect(status).toBe(201);
  return textAt(body, "data", "database", "id");
};

const waitUntilReady = (server: Pick<ServerProcess, "call">, id: string): Promise<void> =>
  eventually(`The database ${id}`, async () => {
    const { body } = await server.call(place.tokens[0], "GET", `/v1/databases/${id}`);
    const status = textAt(body, "data", "status");
    return status === "ready" ? undefined : status;
  });

/** Returns the names of the logins of databases that cannot log in. */
const listDisabledLogins = async (): Promise<string[]> => {
  const admin = await place.connectAsAdmin();
  try {
    const { rows } = await admin.query<{ name: string }>(
      "select rolname as name from pg_roles where rolname like 'role\\_%' and not rolcanlogin",
    );
    return rows.map(({ name }) => name);
  } finally {
    await admin.end();
  }
};

const disableLogins = async (): Promise<void> => {
  const admin = await place.connectAsAdmin();
  await admin.query(`do $$ declare login text; begin
    for login in select rolname from pg_roles where rolname like 'role\\_%' and rolcanlogin
    loop execute format('alter role %I nologin', login); end loop; end $$`);
  await admin.end();
};

describe.runIf(isFull)("two servers", () => {
  it("burst: create 500 databases that are requested at the same time", async () => {
    await place.startTwo();
    const startedAt = performance.now();
    const ids = await Promise.all(Array.from({ length: 500 }, () => create(place)));
    const respondedMs = performance.now() - startedAt;
    for (const id of ids) await waitUntilReady(place, id);
    console.log("burst:", { respondedMs, readyMs: performance.now() - startedAt });
    await verifyObjects(place, place.before);
  });

  it("repair: serve at once while many databases are repaired", async () => {
    let server = await place.start();
    let missing = many - 500;
    const createRest = async (): Promise<void> => {
      while (missing-- > 0) await waitUntilReady(server, await create(server));
    };
    await Promise.all([createRest(), createRest(), createRest()]);
    await server.end("SIGKILL");
    await disableLogins();
    const damaged = (await listDisabledLogins()).length;
    const startedAt = performance.now();
    server = await place.replace(server);
    const startMs = performance.now() - startedAt;
    await waitUntilReady(server, await create(server));
    const creationMs = performance.now() - startedAt - startMs;
    const other = await place.start();
    const isRepaired = eventually("The logins are not repaired", async () => {
      const { length } = await listDisabledLogins();
      return length === 0 ? undefined : `${String(length)} of ${String(damaged)}`;
    }).then(() => performance.now() - startedAt);
    let longestCreationMs = 0;
    let repairedMs: number | undefined;
    void isRepaired.then((time) => (repairedMs = time));
    while (repairedMs === undefined) {
      const createdAt = performance.now();
      await waitUntilReady(other, await create(other));
      longestCreationMs = Math.max(longestCreationMs, performance.now() - createdAt);
      await Promise.race([isRepaired, sleep(500)]);
    }
    console.log("repair:", { damaged, startMs, creationMs, longestCreationMs, repairedMs });
    expect(startMs).toBeLessThan(maxStartMs);
    expect(Math.max(creationMs, longestCreationMs)).toBeLessThan(maxCreationMs);
  });
});
