import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Cluster, newTenant, secondCredential } from "../../../platform/test/cluster.js";
import { platformRole } from "../../../platform/test/installation.js";
import { AdminConnection } from "./admin-connection.js";

// A cluster that others also use, in which the platform is not a superuser.
const renter = "renter";
const cluster = new Cluster({}, { user: renter });

/** Returns the roles, except those of Postgres, whose privileges the platform has. */
const listJoined = async (): Promise<string[]> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const { rows } = await admin.query<{ name: string }>(
    `select rolname as name from pg_roles
      where pg_has_role('${renter}', oid, 'usage') and rolname <> '${renter}' and not starts_with(rolname, 'pg_') order by 1`,
  );
  await admin.end();
  return rows.map(({ name }) => name);
};

const openAdmin = (): AdminConnection => {
  const admin = new AdminConnection(cluster.policy);
  onTestFinished(() => admin.close());
  return admin;
};

beforeEach(async () => {
  await vi.waitFor(async () => expect(await listJoined()).toEqual([platformRole]));
});

describe("the privileges of the platform", () => {
  it("are those of its own role only, however many databases it has made, copied, restored, and dropped", async () => {
    const { databases } = cluster;
    const [first, second] = [await cluster.makeTenant(), await cluster.makeTenant()];
    await databases.backup(first.id, "bkp_first");
    const clone = newTenant();
    await databases.create(clone.id, { type: "database", databaseId: first.id }, [clone.credential]);
    const restored = newTenant();
    const source = { type: "backup" as const, databaseId: first.id, backupId: "bkp_first" };
    await databases.create(restored.id, source, [restored.credential]);
    await databases.restore(first.id, "bkp_first");
    await databases.grant(first.id, secondCredential(first.credential));
    await databases.revoke(first.id, first.credential.connectionId);
    expect((await databases.readUsage(first.id)).bytes).toBeGreaterThan(1_000_000);
    await databases.drop(second.id);
    expect(await listJoined()).toEqual([platformRole]);
  });

  it("are given up that an older version has kept", async () => {
    const { id, credential } = await cluster.makeTenant();
    await openAdmin().runScript([`grant ${id} to current_user`]);
    expect(await listJoined()).toEqual([id, platformRole]);
    await cluster.stop();
    await cluster.start([{ databaseId: id, credentials: [credential], backupIds: [] }]);
    expect(await listJoined()).toEqual([platformRole]);
  });

  it("are kept until all work of the process with them has ended", async () => {
    const { id } = await cluster.makeTenant();
    const { memberships } = openAdmin();
    await memberships.runWith([id], async () => {
      await Promise.all([memberships.runWith([id], () => Promise.resolve()), memberships.leave([id])]);
      expect(await listJoined()).toEqual([id, platformRole]);
    });
    expect(await listJoined()).toEqual([platformRole]);
  });

  it("are given up when the work fails", async () => {
    const { id } = await cluster.makeTenant();
    const work = openAdmin().memberships.runWith([id], () => Promise.reject(new Error("failed")));
    await expect(work).rejects.toThrow("failed");
    expect(await listJoined()).toEqual([platformRole]);
  });

  it("are taken again by work that needs them while another process gives them up", async () => {
    const { id } = await cluster.makeTenant();
    const [admin, other] = [openAdmin(), openAdmin()];
    await admin.memberships.runWith([id], async () => {
      await other.memberships.runWith([id], () => Promise.resolve());
      expect(await listJoined()).toEqual([platformRole]);
      await admin.runScript([`alter database ${id} connection limit 3`]);
    });
    expect(await listJoined()).toEqual([platformRole]);
  });

  it("are not those of roles that others have made, or that do not exist", async () => {
    const superuser = await cluster.connectAsAdmin("postgres");
    await superuser.query(`create role clerk; grant clerk to ${renter} with admin option`);
    await superuser.query(`revoke clerk from ${renter}`);
    await openAdmin().memberships.runWith(["clerk", "nobody"], async () => {
      expect(await listJoined()).toEqual([platformRole]);
    });
  });
});
