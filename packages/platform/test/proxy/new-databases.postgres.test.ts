import type { DatabaseCredential } from "@mgmt/engine";
import { Client, type ClientConfig } from "pg";
import { describe, expect, it } from "vitest";
import { Cluster, newTenant } from "../cluster.js";
import { proxyStarter } from "./start-proxy.js";

const cluster = new Cluster();
const start = proxyStarter(cluster);

/** Connects through the proxy, and returns the name of the database. */
const databaseOf = async (
  port: number,
  { user, pass }: Pick<DatabaseCredential, "user" | "pass">,
  options: ClientConfig = {},
): Promise<string> => {
  const config = { host: "127.0.0.1", port, user, password: pass, database: "postgres", ...options };
  const client = new Client(config);
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ name: string }>("select current_database() as name");
  await client.end();
  return rows[0]?.name ?? "";
};

/** A tenant whose database is announced, but does not exist. */
const announced = (): ReturnType<typeof newTenant> => {
  const tenant = newTenant();
  cluster.databases.announce(tenant.id, [tenant.credential]);
  return tenant;
};

/** Resolves when clients wait for the database, or would by now. */
const afterAnotherLogin = async (port: number): Promise<void> => {
  const { credential } = await cluster.makeTenant();
  await databaseOf(port, credential);
};

describe("a client of a database that is being created", () => {
  it.each([
    ["plain", false],
    ["TLS", { rejectUnauthorized: false }],
  ])("waits and is let in over %s", async (_case, ssl) => {
    const { proxy, defects } = await start();
    const { id, credential } = announced();
    const connecting = Promise.all([1, 2, 3].map(() => databaseOf(proxy.port, credential, { ssl })));
    await afterAnotherLogin(proxy.port);
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    expect(await connecting).toEqual([id, id, id]);
    expect(await databaseOf(proxy.port, credential, { ssl })).toBe(id);
    expect(defects).toEqual([]);
  });

  it("needs the right password", async () => {
    const { proxy } = await start();
    const { id, credential } = announced();
    const refused = expect(databaseOf(proxy.port, { ...credential, pass: "wrong" })).rejects.toMatchObject({
      code: "28P01",
    });
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    await refused;
  });

  it("is refused when the creation fails, and when it connects after that", async () => {
    const { proxy, defects } = await start();
    const { id, credential } = announced();
    const refused = expect(databaseOf(proxy.port, credential)).rejects.toMatchObject({
      code: "3D000",
      severity: "FATAL",
      message: `the database "${id}" was not created`,
      hint: expect.stringContaining("create another one"),
    });
    await afterAnotherLogin(proxy.port);
    const source = { type: "backup", databaseId: "db_none", backupId: "bkp_none" } as const;
    await expect(cluster.databases.create(id, source, [credential])).rejects.toThrow("does not exist");
    await refused;
    await expect(databaseOf(proxy.port, credential)).rejects.toMatchObject({ code: "28P01" });
    expect(defects).toEqual([]);
  });

  it("is refused when the database is deleted", async () => {
    const { proxy } = await start();
    const { id, credential } = announced();
    const refused = expect(databaseOf(proxy.port, credential)).rejects.toMatchObject({ code: "3D000" });
    await afterAnotherLogin(proxy.port);
    await cluster.databases.drop(id);
    await refused;
  });

  it("is refused when the creation takes longer than the proxy waits", async () => {
    const { proxy, defects } = await start({ timeoutMs: 20 });
    const { id, credential } = announced();
    await expect(databaseOf(proxy.port, credential)).rejects.toMatchObject({
      code: "57P03",
      message: `the database "${id}" is still being created`,
      hint: expect.stringContaining("Try again"),
    });
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    expect(await databaseOf(proxy.port, credential)).toBe(id);
    expect(defects).toEqual([]);
  });

  it("is refused when the proxy stops", async () => {
    const { proxy } = await start();
    const { id, credential } = announced();
    const refused = expect(databaseOf(proxy.port, credential)).rejects.toMatchObject({ code: "57P01" });
    await afterAnotherLogin(proxy.port);
    proxy.stopAccepting();
    await refused;
    await cluster.databases.drop(id);
  });
});

describe("a client of another login", () => {
  it("is refused at once while a database is being created", async () => {
    const { proxy } = await start({ timeoutMs: 600_000 });
    const { id, credential } = announced();
    for (const user of ["role_unknown", id, `${credential.user}x`, ""])
      await expect(databaseOf(proxy.port, { user, pass: "guessed" })).rejects.toMatchObject({
        code: user === "" ? "28000" : "28P01",
      });
    await cluster.databases.drop(id);
  });
});
