import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let databaseId: string;
let firstId: string;
beforeEach(async () => {
  api = await Api.open();
  const { database } = await api.project({ name: "shop" });
  databaseId = database.id;
  firstId = database.defaultConnectionId ?? "";
});

const defaultConnectionId = async () =>
  (await api.ok("databases.get", { path: { databaseId } })).data.defaultConnectionId;
const add = async (name = "app") => (await api.ok("connections.create", { body: { databaseId, name } })).data;

describe("creating a connection", () => {
  it("returns 200 under the database and 201 in the flat collection", async () => {
    const nested = await api.send("databases.connections.create", {
      path: { databaseId },
      body: { name: "a" },
    });
    const flat = await api.send("connections.create", { body: { databaseId, name: "a" } });
    expect([nested.status, flat.status]).toEqual([200, 201]);
  });

  it("returns the connection with connectionString, host, pass and user", async () => {
    const { data } = await api.ok("databases.connections.create", {
      path: { databaseId },
      body: { name: "app" },
    });
    expect(data).toMatchObject({
      type: "connection",
      url: `https://api.mgmt.test/v1/connections/${data.id}`,
      name: "app",
      kind: "postgres",
      database: { id: databaseId, url: `https://api.mgmt.test/v1/databases/${databaseId}`, name: "shop" },
      host: "db.test",
    });
    expect(data.directConnection).toEqual({ host: data.host, user: data.user, pass: data.pass });
    expect(data.connectionString).toBe(data.endpoints.direct?.connectionString);
    const credentials = `${String(data.user)}:${String(data.pass)}`;
    expect(Object.values(data.endpoints).map(({ connectionString }) => connectionString)).toEqual(
      [5432, 6543, 8443].map(
        (port) => `postgres://${credentials}@db.test:${String(port)}/${databaseId}?sslmode=disable`,
      ),
    );
  });

  it("returns new credentials that work at once", async () => {
    const [a, b] = [await add("app"), await add("app")];
    expect(api.databases.passwords(databaseId)).toMatchObject({ [a.id]: a.pass, [b.id]: b.pass });
    expect(new Set([a.pass, b.pass, a.user, b.user]).size).toBe(4);
    expect(await defaultConnectionId()).toBe(firstId);
  });

  it("creates a role on a provisioning database when that is ready", async () => {
    const { database } = await api.project({}, { provisioning: true });
    const body = { databaseId: database.id, name: "early" };
    const { data: early } = await api.ok("connections.create", { body });
    const { begun, release } = api.databases.hold("create");
    const making = api.later();
    await begun;
    const meanwhile = api.ok("connections.create", { body: { ...body, name: "meanwhile" } });
    release();
    const { data: late } = await meanwhile;
    await making;
    expect(api.databases.passwords(database.id)).toEqual({
      [database.defaultConnectionId ?? ""]: database.directConnection?.pass,
      [early.id]: early.pass,
      [late.id]: late.pass,
    });
  });

  it("changes nothing and returns 500 when the role cannot be made", async () => {
    const stopFailing = api.databases.fail("grant");
    const failed = { status: 500, code: "internal:error" };
    expect(await api.refused("connections.create", { body: { databaseId, name: "app" } })).toEqual(failed);
    expect(
      await api.refused("databases.connections.create", { path: { databaseId }, body: { name: "app" } }),
    ).toEqual(failed);
    stopFailing();
    await add();
  });

  it("returns 404 and leaves nothing behind when the database is deleted meanwhile", async () => {
    const projectId = (await api.store()).databases.get(databaseId)?.projectId ?? "";
    const doomed = await api.database(projectId);
    const { begun, release } = api.databases.hold("drop");
    const deletion = api.ok("databases.delete", { path: { databaseId: doomed.id } });
    await begun;
    const creation = api.send("connections.create", { body: { databaseId: doomed.id, name: "app" } });
    release();
    await deletion;
    expect(await creation).toMatchObject({ status: 404, code: "database:not_found" });
    expect((await api.store()).connections.size).toBe(1);
  });

  it("returns 404 and leaves nothing behind when the project is transferred meanwhile", async () => {
    const projectId = (await api.store()).databases.get(databaseId)?.projectId ?? "";
    const { begun, release } = api.databases.hold("grant");
    const rotation = api.ok("connections.rotate", { path: { id: firstId } });
    await begun;
    const creation = api.send("connections.create", { body: { databaseId, name: "app" } });
    const body = { recipientAccessToken: await api.engine.tokens.otherUser() };
    await api.ok("projects.transfer", { path: { id: projectId }, body });
    release();
    await rotation;
    expect(await creation).toMatchObject({ status: 404, code: "database:not_found" });
    expect(Object.keys(api.databases.passwords(databaseId) ?? {})).toEqual([firstId]);
  });

  it("becomes the default connection of a database that has none", async () => {
    await api.ok("connections.delete", { path: { id: firstId } });
    const { id } = await add();
    expect(await defaultConnectionId()).toBe(id);
  });

  it.each([
    ["no name", {}, "/name"],
    ["an empty name", { name: "" }, "/name"],
    ["a name that is too long", { name: "n".repeat(257) }, "/name"],
    ["a name of another type", { name: ["app"] }, "/name"],
    ["an unknown field", { name: "app", kind: "accelerate" }, "/kind"],
  ])("rejects %s with 422", async (_, body, path) => {
    expect(await api.issues("databases.connections.create", { path: { databaseId }, body })).toEqual([path]);
    expect(await api.issues("connections.create", { body: { databaseId, ...body } })).toEqual([path]);
  });

  it("rejects a malformed and a missing databaseId with 422", async () => {
    const body = { name: "app" };
    expect(await api.issues("connections.create", { body })).toEqual(["/databaseId"]);
    expect(await api.issues("connections.create", { body: { ...body, databaseId: "NO" } })).toEqual([
      "/databaseId",
    ]);
    expect(await api.issues("databases.connections.create", { path: { databaseId: "NO" }, body })).toEqual([
      "path/databaseId",
    ]);
  });

  it("returns 404 for no database and for another workspace's", async () => {
    const { database } = await api.project({}, { as: "stranger" });
    for (const id of [nobody("db_"), database.id]) {
      const notFound = { status: 404, code: "database:not_found" };
      expect(await api.refused("connections.create", { body: { databaseId: id, name: "app" } })).toEqual(
        notFound,
      );
      expect(
        await api.refused("databases.connections.create", {
          path: { databaseId: id },
          body: { name: "app" },
        }),
      ).toEqual(notFound);
    }
  });
});

describe("listing connections", () => {
  it("shows the database's own connections with directConnection, and no connection string", async () => {
    await api.project();
    const { data } = await api.ok("databases.connections.list", { path: { databaseId } });
    expect(data.map(({ id }) => id)).toEqual([firstId]);
    expect(data[0]?.endpoints.direct).toEqual({ host: "db.test", port: 5432 });
    expect(data[0]?.directConnection?.pass).toBe(api.databases.passwords(databaseId)?.[firstId]);
    expect(data[0]).not.toHaveProperty("connectionString");
    expect(data[0]).not.toHaveProperty("pass");
  });

  it("returns the oldest first, page by page", async () => {
    const second = await add();
    for (const list of ["connections.list", "databases.connections.list"] as const) {
      const asked = { path: { databaseId } };
      const { data, pagination } = await api.ok(list, { ...asked, query: { limit: 1 } });
      const next = await api.ok(list, { ...asked, query: { cursor: pagination.nextCursor ?? "" } });
      expect([...data, ...next.data].map(({ id }) => id)).toEqual([firstId, second.id]);
    }
  });

  it("filters by database; another workspace's database and an unknown one return an empty list", async () => {
    await api.project();
    const { database: foreign } = await api.project({}, { as: "stranger" });
    const list = async (id: string) => (await api.ok("connections.list", { query: { databaseId: id } })).data;
    expect((await list(databaseId)).map(({ id }) => id)).toEqual([firstId]);
    expect(await list(foreign.id)).toEqual([]);
    expect(await list(nobody("db_"))).toEqual([]);
    expect((await api.ok("connections.list")).data).toHaveLength(2);
  });

  it("returns 404 for the connections of another workspace's database, or none", async () => {
    const { database } = await api.project({}, { as: "stranger" });
    for (const id of [nobody("db_"), database.id]) {
      expect(await api.refused("databases.connections.list", { path: { databaseId: id } })).toEqual({
        status: 404,
        code: "database:not_found",
      });
    }
  });

  it("rejects a malformed id, cursor and limit with 422", async () => {
    expect(await api.issues("connections.list", { query: { databaseId: "NO" } })).toEqual([
      "query/databaseId",
    ]);
    expect(await api.issues("connections.list", { query: { cursor: "x" } })).toEqual(["query/cursor"]);
    expect(
      await api.issues("databases.connections.list", { path: { databaseId: "NO" }, query: { limit: 0 } }),
    ).toEqual(["path/databaseId", "query/limit"]);
  });
});

describe("rotating a connection", () => {
  it("sets a new password and invalidates the previous one", async () => {
    const before = await add();
    const { data } = await api.ok("connections.rotate", { path: { id: before.id } });
    expect({ ...data, pass: "" }).toMatchObject({ id: before.id, user: before.user, name: before.name });
    expect(data.pass).not.toBe(before.pass);
    expect(data.connectionString).toContain(`:${String(data.pass)}@`);
    expect(api.databases.passwords(databaseId)?.[before.id]).toBe(data.pass);
    const shown = await api.ok("connections.get", { path: { id: before.id } });
    expect(shown.data.directConnection?.pass).toBe(data.pass);
  });

  it("ends in the same password in store and database, however many rotations meet", async () => {
    const { id } = await add();
    const { begun, release } = api.databases.hold("grant");
    const rotations = [1, 2, 3].map(() => api.ok("connections.rotate", { path: { id } }));
    await begun;
    release();
    const passwords = (await Promise.all(rotations)).map(({ data }) => data.pass);
    expect(new Set(passwords).size).toBe(3);
    const last = api.databases.passwords(databaseId)?.[id];
    expect(passwords).toContain(last);
    expect((await api.store()).connections.get(id)?.pass).toBe(last);
  });

  it("takes effect on a provisioning database when that is ready", async () => {
    const { database } = await api.project({}, { provisioning: true });
    const id = database.defaultConnectionId ?? "";
    const early = await api.ok("connections.rotate", { path: { id } });
    const { begun, release } = api.databases.hold("create");
    const making = api.later();
    await begun;
    const meanwhile = api.ok("connections.rotate", { path: { id } });
    release();
    const { data } = await meanwhile;
    await making;
    expect(data.pass).not.toBe(early.data.pass);
    expect(api.databases.passwords(database.id)).toEqual({ [id]: data.pass });
  });

  it("preserves the old password and returns 500 when the new one cannot be set", async () => {
    const { id, pass } = await add();
    api.databases.fail("grant");
    expect(await api.refused("connections.rotate", { path: { id } })).toEqual({
      status: 500,
      code: "internal:error",
    });
    expect(api.databases.passwords(databaseId)?.[id]).toBe(pass);
  });
});

describe("deleting a connection", () => {
  it("ends its credentials", async () => {
    const { id } = await add();
    await api.ok("connections.delete", { path: { id } });
    expect(api.databases.passwords(databaseId)).not.toHaveProperty(id);
    expect(await api.refused("connections.get", { path: { id } })).toEqual({
      status: 404,
      code: "connection:not_found",
    });
  });

  it("makes the oldest remaining one the default, or null", async () => {
    const second = await add();
    const third = await add();
    await api.ok("connections.delete", { path: { id: firstId } });
    expect(await defaultConnectionId()).toBe(second.id);
    await api.ok("connections.delete", { path: { id: third.id } });
    expect(await defaultConnectionId()).toBe(second.id);
    await api.ok("connections.delete", { path: { id: second.id } });
    expect(await defaultConnectionId()).toBeNull();
  });

  it("leaves no role in a database that is provisioning", async () => {
    const { database } = await api.project({}, { provisioning: true });
    await api.ok("connections.delete", { path: { id: database.defaultConnectionId ?? "" } });
    const name = "app";
    const { data } = await api.ok("connections.create", { body: { databaseId: database.id, name } });
    const { begun, release } = api.databases.hold("create");
    const making = api.later();
    await begun;
    const deletion = api.ok("connections.delete", { path: { id: data.id } });
    release();
    await Promise.all([making, deletion]);
    expect(api.databases.passwords(database.id)).toEqual({});
  });

  it("preserves the connection and returns 500 when the role cannot be removed", async () => {
    api.databases.fail("revoke");
    expect(await api.refused("connections.delete", { path: { id: firstId } })).toEqual({
      status: 500,
      code: "internal:error",
    });
    expect(api.databases.passwords(databaseId)).toHaveProperty(firstId);
  });

  it("deletes it once when two requests arrive at the same time", async () => {
    const asked = { path: { id: firstId } };
    const replies = await Promise.all([
      api.send("connections.delete", asked),
      api.send("connections.delete", asked),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 404]);
  });
});

describe("a connection's id", () => {
  it.each(["connections.get", "connections.delete", "connections.rotate"] as const)(
    "causes a 404 in %s when it is malformed, does not exist or is in another workspace",
    async (operationId) => {
      const { database } = await api.project({}, { as: "stranger" });
      const foreign = database.defaultConnectionId ?? "";
      for (const id of [foreign, nobody("con_"), "NO", "__proto__", "c".repeat(129)]) {
        expect(await api.refused(operationId, { path: { id } })).toEqual({
          status: 404,
          code: "connection:not_found",
        });
      }
    },
  );

  it("is found without its prefix", async () => {
    const { data } = await api.ok("connections.get", { path: { id: firstId.slice("con_".length) } });
    expect(data.id).toBe(firstId);
  });
});

it("returns every response that the contract lists for connections", () => {
  expect(
    unseenResponses(
      "databases.connections.list",
      "databases.connections.create",
      "connections.list",
      "connections.create",
      "connections.get",
      "connections.delete",
      "connections.rotate",
    ),
  ).toEqual([]);
});
