import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

const minute = 60_000;

let api: Api;
let projectId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ id: projectId } = (await api.project()).project);
});

/** Sends an agent's gated call. Returns the approval that it requires. */
const ask = async (): Promise<string> => {
  const { status, body } = await api.send("projects.delete", { path: { id: projectId }, as: "agent" });
  expect(status).toBe(403);
  // The contract's ApprovalRequiredError.
  return (body as { error: { approvalId: string } }).error.approvalId;
};
const read = (approvalId: string) => api.ok("agentApprovals.get", { path: { approvalId }, as: "agent" });

describe("agentApprovals.get", () => {
  it("returns a bare object, pending for 15 minutes", async () => {
    const id = await ask();
    const answer = await read(id);
    expect(answer).toEqual({
      id,
      status: "pending",
      expiresAt: new Date((await api.engine.clock.now()) + 15 * minute).toISOString(),
      windowExpiresAt: null,
      decidedAt: null,
      hint: answer.hint,
    });
    expect((await read(id.slice("apr_".length))).id).toBe(id);
  });

  it("shows expired without a decision", async () => {
    const id = await ask();
    await api.later(15 * minute);
    expect(await read(id)).toMatchObject({ status: "expired", windowExpiresAt: null, decidedAt: null });
  });

  it("shows approved, and then consumed", async () => {
    const id = await ask();
    await api.engine.approvals.approve(id);
    const decidedAt = new Date(await api.engine.clock.now()).toISOString();
    expect(await read(id)).toMatchObject({ status: "approved", decidedAt, windowExpiresAt: null });
    await api.ok("projects.delete", { path: { id: projectId }, as: "agent" });
    expect(await read(id)).toMatchObject({ status: "consumed" });
  });

  it("shows approved_window with its end", async () => {
    const id = await ask();
    await api.engine.approvals.approveWindow(id);
    const windowExpiresAt = new Date((await api.engine.clock.now()) + 60 * minute).toISOString();
    expect(await read(id)).toMatchObject({ status: "approved_window", windowExpiresAt });
    await api.later(60 * minute);
    expect(await read(id)).toMatchObject({ status: "expired", windowExpiresAt });
  });

  it("shows denied", async () => {
    const id = await ask();
    await api.engine.approvals.deny(id);
    expect(await read(id)).toMatchObject({ status: "denied" });
  });

  it("shows that it expired, undecided or unused, with the passing of time", async () => {
    const undecided = await ask();
    await api.later(15 * minute - 1);
    expect((await read(undecided)).status).toBe("pending");
    await api.later(1);
    expect((await read(undecided)).status).toBe("expired");
    const unused = await ask();
    await api.engine.approvals.approve(unused);
    await api.later(15 * minute);
    expect((await read(unused)).status).toBe("expired");
  });

  it("returns 404 to another agent, and to a reader that is not an agent", async () => {
    const approvalId = await ask();
    const notFound = { status: 404, code: "approval:not_found" };
    for (const as of ["user", "service", "stranger"] as const) {
      expect(await api.refused("agentApprovals.get", { path: { approvalId }, as })).toEqual(notFound);
    }
    const token = await api.engine.tokens.agent({ agentId: "agent_other" });
    expect(await api.refused("agentApprovals.get", { path: { approvalId }, token })).toEqual(notFound);
  });

  it("returns 404 to the same agent in another workspace", async () => {
    const approvalId = await ask();
    const token = await api.engine.tokens.agent({ sponsorId: api.defaults.otherUser.id });
    expect(await api.refused("agentApprovals.get", { path: { approvalId }, token })).toEqual({
      status: 404,
      code: "approval:not_found",
    });
  });

  it.each([nobody("apr_"), "NO", "__proto__"])("returns 404 for %s", async (approvalId) => {
    await ask();
    expect(await api.refused("agentApprovals.get", { path: { approvalId }, as: "agent" })).toEqual({
      status: 404,
      code: "approval:not_found",
    });
  });
});

it("returns every response that the contract lists for approvals", () => {
  expect(unseenResponses("agentApprovals.get")).toEqual([]);
});
