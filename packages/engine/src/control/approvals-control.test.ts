import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";

const hour = 3_600_000;
let server: MemoryServer;
let approvalId: string;
beforeEach(async () => {
  server = new MemoryServer({ deterministic: "approvals" });
  approvalId = await requestApproval("DELETE", `/v1/projects/${(await server.seed.project()).id}`);
});

/** Sends a request of an agent that needs an approval, and returns the id of the approval. */
const requestApproval = async (method: string, path: string, body?: object): Promise<string> => {
  const headers = {
    authorization: `Bearer ${await server.tokens.agent()}`,
    "content-type": "application/json",
  };
  await server.handle({ method, path, headers, body: body && JSON.stringify(body) });
  return server.approvals.list().at(-1)?.id ?? "";
};

describe("a decision about an approval", () => {
  it.each<[string, (id: string) => Promise<object>, string]>([
    ["approve", (id) => server.approvals.approve(id), "approved"],
    ["approveWindow", (id) => server.approvals.approveWindow(id), "approved_window"],
    ["deny", (id) => server.approvals.deny(id), "denied"],
  ])("is made once: %s", async (_name, decide, status) => {
    expect(await decide(approvalId.replace("apr_", ""))).toMatchObject({ id: approvalId, status });
    expect(server.approvals.list()).toMatchObject([{ id: approvalId, status }]);
    await expect(decide(approvalId)).rejects.toMatchObject({
      status: 409,
      message: `The approval is ${status}; only a pending one can be decided`,
    });
    await expect(decide("apr_none")).rejects.toMatchObject({ status: 404 });
  });

  it("is not made once the approval has expired", async () => {
    await server.clock.advance(server.settings.approvals.pending);
    await expect(server.approvals.approve(approvalId)).rejects.toThrow("The approval is expired");
    expect(server.approvals.list()).toMatchObject([{ status: "expired" }]);
  });

  it.each([
    [undefined, hour],
    [1, 1],
    [24 * hour, 24 * hour],
  ])("for a window of %s ms ends after %d ms", async (milliseconds, length) => {
    const { windowExpiresAt } = await server.approvals.approveWindow(approvalId, milliseconds);
    expect(Date.parse(String(windowExpiresAt)) - server.clock.now()).toBe(length);
  });

  it.each([0, -1, NaN, Infinity, 24 * hour + 1])("cannot be for a window of %d ms", async (milliseconds) => {
    const decide = async () => server.approvals.approveWindow(approvalId, milliseconds);
    await expect(decide()).rejects.toMatchObject({ status: 400 });
    expect(server.approvals.list()).toMatchObject([{ status: "pending" }]);
  });

  it("cannot be for a window of transfers", async () => {
    const { id } = await server.seed.project();
    const body = { recipientAccessToken: await server.tokens.otherUser() };
    const transfer = await requestApproval("POST", `/v1/projects/${id}/transfer`, body);
    await expect(server.approvals.approveWindow(transfer)).rejects.toMatchObject({
      status: 409,
      message: "projects.transfer cannot be approved for a window",
    });
    expect((await server.approvals.approve(transfer)).status).toBe("approved");
  });
});
