import { expect, it, onTestFinished, vi } from "vitest";
import { Cluster } from "../../../platform/test/cluster.js";
import { installation } from "../../../platform/test/installation.js";
import { AdminConnection } from "../connection/admin-connection.js";

// A cluster that others also use, in which the platform is not a superuser.
const cluster = new Cluster({}, { user: "renter" });

const openAdmin = (): AdminConnection => {
  const admin = new AdminConnection(cluster.policy);
  onTestFinished(() => admin.close());
  return admin;
};

it("lets the platform see what sessions of tenants do", async () => {
  const { id, credential } = await cluster.makeTenant();
  const session = await cluster.connect(id, credential);
  await session.query("begin");
  const admin = openAdmin();
  await vi.waitFor(async () => {
    const sessions = await admin.query("select state from pg_stat_activity where usename = $1", [
      credential.user,
    ]);
    expect(sessions).toEqual([{ state: "idle in transaction" }]);
  });
  await session.end();
});

it("gives up the privileges of most logins that have no sessions", async () => {
  const admin = openAdmin();
  const names = Array.from({ length: 50 }, (_, index) => `role_idle${String(index)}`);
  const mark = installation.buildLoginComment("con_idle");
  await admin.runScript(
    names.flatMap((name) => [
      `create role ${name} login`,
      `comment on role ${name} is '${mark}'`,
      `grant ${name} to current_user`,
    ]),
  );
  // An older version has joined all of them.
  await cluster.closeDatabases();
  await cluster.stop();
  await cluster.start([]);
  const later = openAdmin();
  await vi.waitFor(
    async () => {
      const joined = await later.query(
        "select from pg_roles where starts_with(rolname, 'role_idle') and pg_has_role(oid, 'usage')",
      );
      expect(joined.length).toBeLessThanOrEqual(20);
    },
    { timeout: 10_000 },
  );
});
