import { describe, expect, it } from "vitest";
import {
  type Approval,
  ApprovalNotFoundError,
  ApprovalRequiredError,
  AuthUnauthorizedError,
  InternalError,
  InvalidArgumentError,
  InvalidResponseError,
  type Middleware,
  WaitError,
  WaitFailedError,
  WaitTimeoutError,
  type WaitOptions,
  createClient,
  isApiError,
} from "@mgmt/sdk";
import { thrown } from "../server.js";
import { minuteLater, setupWorld, takeTime, waitErrorOf, withStatus } from "./server.js";

const world = setupWorld();
const { mock } = world;

/** Returns the approval that the agent needs to delete the database. */
const ask = async (): Promise<ApprovalRequiredError> => {
  const error = await thrown(world.agent.databases.delete(world.databaseId));
  if (!isApiError(error, "approval_required")) throw error;
  world.requests();
  return error;
};

/** Calls a function as soon as a poll has seen the approval pending. */
const once = (act: (id: string) => unknown): WaitOptions<Approval> => ({
  onProgress: async ({ id, status }, { polls }) => {
    if (polls === 1 && status === "pending") await act(id);
  },
});

describe("approval_required", () => {
  it("names the approval, its expiration, and where the sponsor decides", async () => {
    const error = await ask();
    expect(error).toBeInstanceOf(ApprovalRequiredError);
    expect(error).toMatchObject({
      status: 403,
      approvalId: world.approvalIds()[0],
      expiresAt: new Date(mock.clock.now() + 15 * 60_000).toISOString(),
      approvalUrl: expect.stringContaining(error.approvalId),
    });
  });
});

describe("agentApprovals.wait", () => {
  it("returns the approval once the sponsor has approved it", async () => {
    const { approvalId } = await ask();
    const approval = await world.agent.agentApprovals.wait(
      approvalId,
      once((id) => mock.approvals.approve(id)),
    );
    expect(approval).toMatchObject({ id: approvalId, status: "approved", decidedAt: expect.any(String) });
    expect(world.requests()).toEqual(["agentApprovals.get 200", "agentApprovals.get 200"]);
    await world.agent.databases.delete(world.databaseId);
  });

  it("returns a window approval too", async () => {
    const { approvalId } = await ask();
    await mock.approvals.approveWindow(approvalId);
    const approval = await world.agent.agentApprovals.wait(approvalId);
    expect(approval).toMatchObject({ status: "approved_window", windowExpiresAt: expect.any(String) });
  });

  it("accepts an id without its prefix", async () => {
    const { approvalId } = await ask();
    await mock.approvals.approve(approvalId);
    const short = approvalId.replace("apr_", "");
    expect(await world.agent.agentApprovals.wait(short)).toMatchObject({ id: approvalId });
  });

  it("reports every poll, including the last one, and waits for the callback", async () => {
    const { approvalId } = await ask();
    const told: unknown[] = [];
    await world.agent.agentApprovals.wait(approvalId, {
      timeoutMs: 60_000,
      onProgress: async ({ status }, { polls, elapsedMs, remainingMs }) => {
        told.push([polls, status, elapsedMs + remainingMs]);
        if (polls === 1) await mock.approvals.approve(approvalId);
      },
    });
    expect(told).toEqual([
      [1, "pending", 60_000],
      [2, "approved", 60_000],
    ]);
  });

  it.each([
    ["denied", "approval:denied", (id: string) => mock.approvals.deny(id)],
    ["expired", "approval:expired", () => mock.clock.advance(15 * 60_000)],
    [
      "consumed",
      "approval:consumed",
      async (id: string) => {
        await mock.approvals.approve(id);
        await world.agent.databases.delete(world.databaseId);
      },
    ],
  ])("throws an error with a code when it is %s", async (status, code, act) => {
    const { approvalId } = await ask();
    const error = await waitErrorOf(world.agent.agentApprovals.wait(approvalId, once(act)));
    expect(error).toBeInstanceOf(WaitFailedError);
    expect(error).toBeInstanceOf(WaitError);
    expect(error).not.toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      name: "WaitFailedError",
      code,
      id: approvalId,
      lastStatus: status,
      message: expect.stringContaining(`Approval ${approvalId}`),
      hint: expect.stringMatching(/\w+\.$/),
    });
    expect(error.lastSeen()).toMatchObject({ id: approvalId, status });
  });

  it("throws an error that carries what was last seen when it is pending past the deadline", async () => {
    const { approvalId } = await ask();
    takeTime();
    const options = { timeoutMs: 60_000, onProgress: minuteLater };
    const error = await waitErrorOf(world.agent.agentApprovals.wait(approvalId, options));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).not.toBeInstanceOf(WaitFailedError);
    expect(error).toMatchObject({
      name: "WaitTimeoutError",
      code: "wait:timeout",
      timeoutMs: 60_000,
      id: approvalId,
      lastStatus: "pending",
      message: `Approval ${approvalId} is still pending after 60000 ms`,
      hint: expect.stringContaining("wait for the approval again"),
    });
    expect(error.lastSeen()).toMatchObject({ id: approvalId, status: "pending" });
  });

  it("waits on at a status that it does not know, also one that JavaScript knows", async () => {
    const { approvalId } = await ask();
    await mock.approvals.approve(approvalId);
    const fetch = withStatus(mock.fetch, "agent-approvals", ["under_review", "toString", "__proto__"]);
    const client = world.agentThat(false, { fetch });
    const statuses: string[] = [];
    await client.agentApprovals.wait(approvalId, { onProgress: ({ status }) => void statuses.push(status) });
    expect(statuses).toEqual(["under_review", "toString", "__proto__", "approved"]);
  });

  it("throws the service's error when the approval does not exist for this agent, or the caller is not an agent", async () => {
    const { approvalId } = await ask();
    const another = world.connect(await mock.tokens.agent({ agentId: "agent_2" }));
    for (const client of [another, world.user]) {
      const error = await thrown(client.agentApprovals.wait(approvalId));
      expect(error).toBeInstanceOf(ApprovalNotFoundError);
      expect(error).toMatchObject({ status: 404, requestId: expect.any(String) });
    }
    expect(await thrown(world.agent.agentApprovals.wait("apr_unknown1"))).toBeInstanceOf(
      ApprovalNotFoundError,
    );
  });

  it("throws a 401 at once", async () => {
    const error = await thrown(world.connect("bad").agentApprovals.wait("apr_unknown1"));
    expect(error).toBeInstanceOf(AuthUnauthorizedError);
    expect(world.requests()).toEqual(["agentApprovals.get 401"]);
  });

  it.each([
    ["a 500", { status: 500 }],
    ["a 503 with Retry-After", { status: 503 }],
    ["a proxy's 502", { status: 502, body: "<html>Bad gateway" }],
    ["a 429 of a proxy", { status: 429, body: "slow down", contentType: "text/plain" }],
    ["a lost connection", { drop: "before" }],
    ["a lost answer", { drop: "after" }],
  ] as const)("tolerates %s", async (_, fault) => {
    const { approvalId } = await ask();
    await mock.approvals.approve(approvalId);
    mock.faults.add({ operation: "agentApprovals.get", times: 1, ...fault });
    const polls: number[] = [];
    await world.agent.agentApprovals.wait(approvalId, {
      onProgress: (_seen, progress) => void polls.push(progress.polls),
    });
    expect(polls).toEqual([2]);
  });

  it("includes the reason of the last failed polls as the cause of a timeout", async () => {
    const { approvalId } = await ask();
    mock.faults.add({ operation: "agentApprovals.get", status: 500 });
    const error = await waitErrorOf(world.agent.agentApprovals.wait(approvalId, { timeoutMs: 1_000 }));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      message: `Approval ${approvalId} could not be read after 1000 ms`,
      cause: expect.any(InternalError),
    });
    expect(error.lastSeen()).toBeUndefined();
    expect(error).not.toHaveProperty("lastStatus");
  });

  it("throws at once when the response violates the contract", async () => {
    const { approvalId } = await ask();
    const client = world.agentThat(false, { fetch: async () => new Response("<html>Welcome") });
    expect(await thrown(client.agentApprovals.wait(approvalId))).toBeInstanceOf(InvalidResponseError);
  });

  it.each(["", "..", "%2e%2e"])("refuses the id %j before anything is sent", async (id) => {
    expect(await thrown(world.agent.agentApprovals.wait(id))).toBeInstanceOf(InvalidArgumentError);
    expect(world.requests()).toEqual([]);
  });

  it.each([0, -1, Number.NaN])("refuses %j as timeoutMs before anything is sent", async (timeoutMs) => {
    const error = await thrown(world.agent.agentApprovals.wait("apr_1", { timeoutMs }));
    expect(error).toMatchObject({ code: "argument:invalid", argument: "timeoutMs" });
    expect(world.requests()).toEqual([]);
  });

  it("polls with the token and middleware of the wait, for a client that serves many users", async () => {
    const { approvalId } = await ask();
    const seen: string[] = [];
    const looked: Middleware = (request, next) => {
      seen.push(request.path);
      return next(request);
    };
    const shared = createClient({ baseUrl: mock.baseUrl, fetch: mock.fetch, token: "of-nobody" });
    await shared.agentApprovals.wait(approvalId, {
      token: () => mock.tokens.agent(),
      middleware: [looked],
      ...once((id) => mock.approvals.approve(id)),
    });
    expect(seen).toEqual(Array(2).fill("/v1/agent-approvals/{approvalId}"));
  });

  it("sends the headers of the wait with every poll", async () => {
    const { approvalId } = await ask();
    const sent: unknown[] = [];
    const client = world.agentThat(false, {
      fetch: (url, init) => {
        sent.push(new Headers(init.headers).get("x-trace"));
        return mock.fetch(url, init);
      },
    });
    await client.agentApprovals.wait(approvalId, {
      headers: { "x-trace": "t1" },
      ...once((id) => mock.approvals.approve(id)),
    });
    expect(sent).toEqual(["t1", "t1"]);
  });
});
