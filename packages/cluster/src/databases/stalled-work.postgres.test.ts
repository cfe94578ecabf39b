import { DatabaseUnavailableError } from "@mgmt/engine";
import { DatabaseError } from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { toUnavailableError } from "../connection/unavailable.js";
import { Cluster, newTenant } from "../../../platform/test/cluster.js";
import { openSteppedDatabases } from "../../test/stepped-databases.js";

const cluster = new Cluster();
const lines: string[] = [];
const log = { onLog: (line: string) => void lines.push(line), directory: "/data" };
const continues = "Work on databases continues: it no longer waits for Postgres";

beforeEach(() => void lines.splice(0));

/** What work throws when Postgres refuses a statement with this code. */
const lacking = (code: string): DatabaseUnavailableError =>
  toUnavailableError(Object.assign(new DatabaseError("refused", 0, "error"), { code }));

/** Opens databases that cannot be created while Postgres lacks something. */
const openLacking = async () => {
  const { admin, databases, copies } = await openSteppedDatabases(cluster, undefined, log);
  let lack: Error | undefined;
  copies.before = (step) => {
    if (step === "createEmpty" && lack !== undefined) throw lack;
  };
  const create = ({ id, credential }: ReturnType<typeof newTenant>): Promise<void> =>
    databases.create(id, { type: "empty" }, [credential]);
  const reject = async (tenant: ReturnType<typeof newTenant>, error: Error): Promise<void> => {
    lack = error;
    await expect(create(tenant)).rejects.toBe(error);
    lack = undefined;
  };
  return { admin, databases, create, reject };
};

describe("the creation of a database", () => {
  it.each([
    ["53100", /: the disk of \/data is full\. Free at least 100 MB there, and the work continues$/],
    ["53200", /: Postgres has no memory left\. End other programs/],
    ["53300", /: Postgres has no connections left\. Close connections/],
    ["53400", /: Postgres lacks resources \(Postgres error 53400\)\. Read the log/],
  ])("reports once that it waits because of error %s, and that it continues", async (code, reason) => {
    const { create, reject } = await openLacking();
    const tenant = newTenant();
    for (let attempt = 0; attempt < 3; attempt += 1) await reject(tenant, lacking(code));
    expect(lines).toEqual([expect.stringMatching(reason)]);
    expect(lines[0]).toContain(`Work on the database ${tenant.id} waits`);
    await create(tenant);
    expect(lines.slice(1)).toEqual([continues]);
  });

  it("is reported once for each reason, until no database waits", async () => {
    const { create, reject } = await openLacking();
    const [first, second] = [newTenant(), newTenant()];
    for (const code of ["53100", "53300", "53100"]) {
      await reject(first, lacking(code));
      await reject(second, lacking(code));
    }
    expect(lines).toEqual([expect.stringContaining("disk"), expect.stringContaining("connections")]);
    // Other work does not end the wait.
    await create(newTenant());
    await create(first);
    expect(lines).toHaveLength(2);
    await create(second);
    expect(lines.slice(2)).toEqual([continues]);
    await reject(newTenant(), lacking("53100"));
    expect(lines.slice(3)).toEqual([expect.stringContaining("is full")]);
  });

  it("no longer waits when it is refused for good, or the database is deleted", async () => {
    const { databases, reject } = await openLacking();
    const [refused, deleted] = [newTenant(), newTenant()];
    for (const tenant of [refused, deleted]) await reject(tenant, lacking("53100"));
    await reject(refused, new Error("refused"));
    expect(lines).toHaveLength(1);
    await databases.drop(deleted.id);
    expect(lines.slice(1)).toEqual([continues]);
  });

  it("reports nothing when Postgres cannot be reached, which its restart reports", async () => {
    const { create, reject } = await openLacking();
    const tenant = newTenant();
    await reject(tenant, toUnavailableError(new Error("Connection terminated unexpectedly")));
    await create(tenant);
    expect(lines).toEqual([]);
  });
});

describe("a request that is answered at once", () => {
  it("is not reported, because its client reads the reason", async () => {
    const { admin, databases, create } = await openLacking();
    const { id, credential } = newTenant();
    await create({ id, credential });
    const error = lacking("53100");
    admin.runScript = () => Promise.reject(error);
    await expect(databases.grant(id, { ...credential, pass: "next" })).rejects.toBe(error);
    expect(lines).toEqual([]);
  });
});
