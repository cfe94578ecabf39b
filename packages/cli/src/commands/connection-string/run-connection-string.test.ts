import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../../test/commands/auth/account.js";
import { startCannedServer } from "../../../test/canned-server.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";
import { type ShopFolder, useShopFolder } from "../../../test/shop-folder.js";

const current = useShopFolder((path) => `shop-${path.slice(-6)}`);
let account: Account;
let folder: string;
let projectId: string;
let databaseId: string;
let run: ShopFolder["run"];
beforeEach(() => {
  ({ account, folder, projectId, databaseId, run } = current());
});

const connections = () => account.server.engine.rows.connections.list({ databaseId });

/** Deletes every connection of the database. */
const deleteConnections = async (): Promise<void> => {
  for (const { id } of connections()) expect((await run(`connections delete ${id} --yes`)).status).toBe(0);
};

describe("mgmt connection-string", () => {
  it("prints the connection string of the linked project's default database and nothing else", async () => {
    const [connection] = connections();
    const { status, stdout, stderr } = await run("connection-string");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const url = new URL(stdout.trim());
    expect(stdout).toBe(`${url.href}\n`);
    expect(url).toMatchObject({
      username: connection?.user,
      password: connection?.pass,
      pathname: "/postgres",
    });
  });

  it("accepts a name, a format and the pooler", async () => {
    const [, name] = [0, `shop-${folder.slice(-6)}`];
    await run(`databases create reports --project-id ${projectId}`);
    const { json } = await run(`connection-string ${name}/reports --pooled --format dsn -o json`);
    expect(json).toMatchObject({
      connectionString: expect.stringMatching(/^host='\S+' port='\d+' dbname='postgres' user='/),
      format: "dsn",
      pooled: true,
      created: false,
    });
    expect(json).not.toMatchObject({ databaseId });
  });

  it("uses the connection with the id, user or name of --role", async () => {
    await run(`databases connections create ${databaseId} --name reader`);
    const reader = connections().find(({ name }) => name === "reader");
    for (const role of ["reader", reader?.id, reader?.user]) {
      const { json } = await run(`connection-string --role ${String(role)} -o json`);
      expect(json).toMatchObject({ connectionId: reader?.id, user: reader?.user });
    }
  });

  it("refuses a role that no connection has, or several", async () => {
    for (const name of ["twice", "twice"]) {
      await run(`databases connections create ${databaseId} --name ${name}`);
    }
    const unknown = await run("connection-string --role nobody");
    expect(unknown).toMatchObject({ status: 6, stdout: "" });
    expect(unknown.stderr).toMatch(
      /no connection with the id, name or user "nobody".*hint: It has .*"twice"/s,
    );
    const twice = await run("connection-string --role twice -o json");
    expect(twice).toMatchObject({ status: 7, stdout: "" });
    expect(twice.stderr).toContain("name:ambiguous");
    for (const { pass } of connections()) expect(unknown.stderr + twice.stderr).not.toContain(pass);
  });

  it("creates a connection only after a yes if no password can be read", async () => {
    await deleteConnections();
    const refused = await run("connection-string");
    expect(refused).toMatchObject({ status: 3, stdout: "" });
    expect(refused.stderr).toContain("confirmation:needed");
    const reply = (stderr: string): string | undefined => (stderr.includes("Continue?") ? "n\r" : undefined);
    expect((await run("connection-string", { terminal: true, reply })).status).toBe(3);
    expect(connections()).toHaveLength(0);

    const { status, json, errors } = await run("connection-string --yes -o json");
    const [created] = connections();
    expect({ status, json }).toMatchObject({
      status: 0,
      json: { created: true, connectionId: created?.id, user: created?.user },
    });
    expect(created?.name).toBe(`mgmt on ${hostname()}`);
    expect(errors).toContainEqual({ notice: expect.objectContaining({ code: "connection:created" }) });
    // Its password can be read from now on.
    expect((await run("connection-string -o json")).json).toMatchObject({ created: false });
    expect(connections()).toHaveLength(1);
  });

  it("never creates a connection for a role", async () => {
    await deleteConnections();
    expect((await run("connection-string --role reader --yes")).status).toBe(6);
    expect(connections()).toHaveLength(0);
  });

  it("writes it to a file that only this user can read, and prints no password", async () => {
    const { status, stdout, stderr } = await run("connection-string --secret-file url.json -o json");
    const [connection] = connections();
    expect(status).toBe(0);
    expect(stdout + stderr).not.toContain(connection?.pass);
    const file = join(folder, "url.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      connectionString: expect.stringContaining(connection?.pass ?? ""),
    });
    const result = await run("connection-string --secret-file other.json");
    expect(result).toMatchObject({ status: 0, stdout: "", stderr: expect.stringContaining("other.json") });
  });

  it.each([
    ["connection-string --pooled --direct", 2, "--pooled"],
    ["connection-string --format odbc", 2, "uri, prisma, jdbc, dsn, env"],
    ["connection-string nobody/reports", 6, "name:not_found"],
    ["connection-string db_000000000000000000000000", 6, "database:not_found"],
    ["connection-string ..", 2, "Pass an id"],
  ])("refuses a wrong command line: %s", async (line, status, text) => {
    const result = await run(line);
    expect([result.status, result.stdout, result.stderr]).toEqual([
      status,
      "",
      expect.stringContaining(text),
    ]);
  });

  it("names the flag if the database has no pooler, and the command that replaces a hidden password", async () => {
    const connection = {
      id: "con_1",
      type: "connection",
      name: "main",
      kind: "postgres",
      endpoints: { direct: { host: "db.example.com", port: 5432 } },
    };
    const direct = { host: "db.example.com", user: "u", pass: "p" };
    let directConnection: unknown = direct;
    const server = await startCannedServer(() => ({
      body: {
        data: [{ ...connection, directConnection }],
        pagination: { nextCursor: null, hasMore: false },
      },
    }));
    const at = (line: string): Promise<Result> =>
      runInProcess(line.split(" "), { env: server.env, cwd: folder });
    for (const line of ["connection-string db_1 --pooled", "env db_1 --pooled", "psql db_1 --pooled"]) {
      expect(await at(line)).toMatchObject({
        status: 7,
        stderr: expect.stringContaining("without --pooled"),
      });
    }
    expect((await at("connection-string db_1")).stdout).toBe(
      "postgresql://u:p@db.example.com/postgres?sslmode=require\n",
    );
    directConnection = null;
    const hidden = await at("connection-string db_1 --role main");
    expect(hidden).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("mgmt connections rotate con_1"),
    });
    directConnection = { ...direct, host: "not a host" };
    expect(await at("connection-string db_1")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("response:invalid"),
    });
    server.close();
  });
});
