import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, vi } from "vitest";
import { Cluster, newTenant } from "../../../platform/test/cluster.js";
import { interrupt } from "../../test/interrupted-work.js";
import { platformRole, staging, replaced } from "../../../platform/test/installation.js";

const lines: string[] = [];
const cluster = new Cluster({ onLog: (line) => void lines.push(line) });

describe("work whose session Postgres ends", () => {
  it("reports that Postgres cannot be reached, and succeeds when it is repeated", async () => {
    const { id, credential } = newTenant();
    const create = (): Promise<void> => cluster.databases.create(id, { type: "empty" }, [credential]);
    expect(await interrupt(cluster, create)).toBeInstanceOf(DatabaseUnavailableError);
    await create();
    await cluster.connect(id, credential);

    const next = { ...credential, pass: "next" };
    const rotate = (): Promise<void> => cluster.databases.grant(id, next);
    expect(await interrupt(cluster, rotate)).toBeInstanceOf(DatabaseUnavailableError);
    await rotate();
    await cluster.connect(id, next);

    const revoke = (): Promise<void> => cluster.databases.revoke(id, credential.connectionId);
    expect(await interrupt(cluster, revoke)).toBeInstanceOf(DatabaseUnavailableError);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter role ${credential.user} nologin`);
    await rotate();
    await cluster.connect(id, next);
    await revoke();
    await expect(cluster.connect(id, next)).rejects.toMatchObject({ code: "28P01" });
  });

  it("repairs what it left: closed databases, unfinished copies and invalid databases", async () => {
    const { id, credential } = newTenant();
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${id} allow_connections false`);
    for (const name of [staging(id), replaced(id), `${id}.bkp_invalid`]) {
      await admin.query(`create database "${name}" owner "${platformRole}" template template0`);
    }
    await admin.query("update pg_database set datconnlimit = -2 where datname = $1", [`${id}.bkp_invalid`]);
    await interrupt(cluster, () => cluster.databases.grant(id, { ...credential, pass: "next" }));

    await vi.waitFor(async () => {
      expect(await cluster.namesIn("datname", id)).toEqual([id]);
      await cluster.connect(id, credential);
    });
  });

  it("repairs the rest when Postgres refuses to repair something, and reports that", async () => {
    const [refused, other] = [newTenant().id, newTenant().id];
    const admin = await cluster.connectAsAdmin("postgres");
    const create = (name: string): Promise<unknown> =>
      admin.query(`create database "${name}" owner "${platformRole}" template template0`);
    await create(replaced(other));
    // The repair of an earlier test may still run. It must not find the database before Postgres refuses to drop it.
    await create(`prepared.${refused}`);
    const using = await cluster.connectAsAdmin(`prepared.${refused}`);
    await using.query("create subscription used connection '' publication none with (connect = false)");
    await using.end();
    await vi.waitFor(() =>
      admin.query(`alter database "prepared.${refused}" rename to "${replaced(refused)}"`),
    );
    const { id, credential } = await cluster.makeTenant();
    await interrupt(cluster, () => cluster.databases.grant(id, { ...credential, pass: "next" }));

    await vi.waitFor(async () => expect(await cluster.namesIn("datname", other)).toEqual([]));
    const report = new RegExp(
      `${replaced(refused)} could not be dropped: .*logical replication subscription`,
    );
    await vi.waitFor(() => expect(lines).toContainEqual(expect.stringMatching(report)));
    expect(lines.filter((line) => !report.test(line))).toEqual([]);
    const owner = await cluster.connectAsAdmin(replaced(refused));
    await owner.query("alter subscription used set (slot_name = none)");
    await owner.query("drop subscription used");
  });

  it("copies a database that an interrupted copy closed, and opens it again", async () => {
    const { id, credential } = newTenant();
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${id} allow_connections false`);
    await cluster.databases.backup(id, "bkp_closed");
    await cluster.connect(id, credential);
  });
});
