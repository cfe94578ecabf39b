import { beforeEach, describe, expect, it, vi } from "vitest";
import { Api } from "../../../test/rules/api.js";

let api: Api;
let databaseId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ databaseId } = await api.databaseWithConnection());
});

describe("a backup", () => {
  const running = async () => {
    const { begun, release } = api.databases.hold("backup");
    const made = api.engine.states.backUp(databaseId);
    await begun;
    const backup = (await api.store()).backups.list({ databaseId }).at(-1);
    return { id: backup?.id ?? "", end: () => (release(), made) };
  };

  it("keeps the status that the control surface set while it was made", async () => {
    const { id, end } = await running();
    await api.engine.states.setBackupStatus(id, "failed");
    await end().catch(() => undefined);
    expect((await api.store()).backups.get(id)?.status).toBe("failed");
  });

  it("is not made when the control surface set another status before its turn", async () => {
    const { end } = await running();
    const waiting = api.engine.states.backUp(databaseId);
    await vi.waitFor(async () => expect((await api.store()).backups.list({ databaseId })).toHaveLength(2));
    const unfinished = (await api.store()).backups.list({ databaseId });
    for (const { id } of unfinished) await api.engine.states.setBackupStatus(id, "failed");
    await Promise.allSettled([end(), waiting]);
    expect(api.databases.backups.size).toBe(1);
    expect(api.defects).toEqual([]);
  });
});
