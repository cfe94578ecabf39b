import { describe, expect, it, vi } from "vitest";
import {
  ApprovalDeniedError,
  type ApprovalProgress,
  ApprovalRequiredError,
  type ApprovalWaitOptions,
  AuthForbiddenError,
  AuthUnauthorizedError,
  type ClientOptions,
  DatabaseNotFoundError,
  type Fetch,
  ForbiddenError,
  InvalidArgumentError,
  TimeoutError,
  WaitFailedError,
  WaitTimeoutError,
} from "@mgmt/sdk";
import { thrown } from "../../test/server.js";
import { minuteLater, setupWorld, takeTime } from "../../test/wait/server.js";

const world = setupWorld();
const { mock } = world;

/** Calls a function when a poll first sees the approval. */
const when = (act: (id: string) => unknown): ApprovalWaitOptions => ({
  onProgress: async ({ approvalId, polls }) => {
    if (polls === 1) await act(approvalId);
  },
});
const approve = when((id) => mock.approvals.approve(id));

/** Records what is sent. */
const recorder = () => {
  const sent: { method: string; url: string; body: unknown; headers: Record<string, string> }[] = [];
  const fetch: Fetch = (url, init) => {
    const { method = "", body, headers } = init;
    sent.push({ method, url, body, headers: Object.fromEntries(new Headers(headers)) });
    return mock.fetch(url, init);
  };
  return { sent, fetch };
};

describe("a call of an agent that waits for its approval", () => {
  it("waits, is approved meanwhile, and succeeds", async () => {
    const told: ApprovalProgress[] = [];
    const client = world.agentThat({
      onProgress: async (progress) => {
        told.push(progress);
        if (progress.polls === 1) await mock.approvals.approve(progress.approvalId);
      },
    });
    await client.databases.delete(world.databaseId);
    expect(world.requests()).toEqual([
      "databases.delete 403",
      "agentApprovals.get 200",
      "agentApprovals.get 200",
      "databases.delete 204",
    ]);
    expect(told.map(({ polls, status }) => [polls, status])).toEqual([
      [0, "pending"],
      [1, "pending"],
      [2, "approved"],
    ]);
    const [approvalId = ""] = world.approvalIds();
    expect(told[0]).toEqual({
      approvalId,
      approvalUrl: expect.stringContaining(approvalId),
      expiresAt: new Date(mock.clock.now() + 15 * 60_000).toISOString(),
      status: "pending",
      method: "DELETE",
      path: "/v1/databases/{databaseId}",
      polls: 0,
      elapsedMs: expect.any(Number),
      remainingMs: expect.any(Number),
    });
    expect(mock.approvals.list()).toMatchObject([{ status: "consumed" }]);
    expect(await thrown(world.user.databases.get(world.databaseId))).toBeInstanceOf(DatabaseNotFoundError);
  });

  it("sends the same request again, and polls with its headers and credential", async () => {
    const { sent, fetch } = recorder();
    const { id: backupId } = await mock.seed.backup(world.databaseId);
    const client = world.agentThat(approve, { fetch, headers: { "x-team": "blue" } });
    const source = { type: "backup", databaseId: world.databaseId, backupId } as const;
    const token = `Bearer ${await mock.tokens.agent()}`;
    const headers = { authorization: token, "x-trace": "t1" };
    const database = await client.databases.restore(world.databaseId, { source }, { headers });
    expect(database.status).toBe("recovering");
    expect(sent.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "POST"]);
    expect(sent[3]).toEqual(sent[0]);
    expect(sent[1]?.headers).toEqual({ accept: "application/json", "x-team": "blue", ...headers });
    expect(sent[1]?.body).toBeNull();
  });

  it("asks for the token anew when it sends again", async () => {
    let asked = 0;
    const token = () => {
      asked += 1;
      return mock.tokens.agent();
    };
    const client = world.agentThat(approve, { token });
    await client.databases.delete(world.databaseId);
    expect(asked).toBe(4);
  });

  it("passes without a wait while a window is open", async () => {
    const client = world.agentThat(when((id) => mock.approvals.approveWindow(id)));
    const { id } = await mock.seed.database(world.projectId);
    world.requests();
    await client.databases.delete(world.databaseId);
    expect(mock.approvals.list()).toMatchObject([{ status: "approved_window" }]);
    world.requests();
    await client.databases.delete(id);
    expect(world.requests()).toEqual(["databases.delete 204"]);
  });

  it("applies to client.request and the path client too", async () => {
    const client = world.agentThat(approve);
    const { id } = await mock.seed.database(world.projectId);
    await client.request({ method: "DELETE", path: "/v1/databases/{id}", pathParams: { id } });
    const { response } = await client.http.DELETE("/v1/databases/{databaseId}", {
      params: { path: { databaseId: world.databaseId } },
    });
    expect(response.status).toBe(204);
    expect(mock.approvals.list().map(({ status }) => status)).toEqual(["consumed", "consumed"]);
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
  ])("throws when its approval is %s, with the error response as the cause", async (status, code, act) => {
    const error = await thrown(world.agentThat(when(act)).databases.delete(world.databaseId));
    expect(error).toBeInstanceOf(WaitFailedError);
    expect(error).toMatchObject({ code, lastStatus: status, cause: { path: "/v1/databases/{databaseId}" } });
    expect(error).toHaveProperty("cause", expect.any(ApprovalRequiredError));
  });

  it("does not wait when the request was denied before", async () => {
    const client = world.agentThat(when((id) => mock.approvals.deny(id)));
    await thrown(client.databases.delete(world.databaseId));
    world.requests();
    expect(await thrown(client.databases.delete(world.databaseId))).toBeInstanceOf(ApprovalDeniedError);
    expect(world.requests()).toEqual(["databases.delete 403"]);
  });

  it("sends again once only: a second approval_required is thrown", async () => {
    const { id: backupId } = await mock.seed.backup(world.databaseId);
    const source = { type: "backup", databaseId: world.databaseId, backupId } as const;
    let polls = 0;
    const fetch: Fetch = async (url, init) => {
      const response = await mock.fetch(url, init);
      if (init.method !== "GET" || polls > 1) return response;
      polls += 1;
      const [approvalId = ""] = world.approvalIds();
      if (polls === 1) await mock.approvals.approve(approvalId);
      // Another program of the same agent sends the request first.
      if (polls === 2) await world.agent.databases.restore(world.databaseId, { source });
      if (polls === 2) await mock.states.setDatabaseStatus(world.databaseId, "ready");
      return response;
    };
    const client = world.agentThat(true, { fetch });
    const error = await thrown(client.databases.restore(world.databaseId, { source }));
    expect(error).toBeInstanceOf(ApprovalRequiredError);
    expect(error).toMatchObject({ approvalId: world.approvalIds()[1] });
    expect(mock.approvals.list().map(({ status }) => status)).toEqual(["consumed", "pending"]);
  });

  it("throws a timeout of the wait, which can be resumed, whatever the timeout of the call", async () => {
    takeTime();
    const wait = { timeoutMs: 60_000, onProgress: minuteLater };
    const client = world.agentThat(wait, { timeoutMs: Number.POSITIVE_INFINITY });
    const error = await thrown(client.databases.delete(world.databaseId));
    const [id = ""] = world.approvalIds();
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ id, timeoutMs: 60_000, cause: { approvalId: id } });
    await mock.approvals.approve(id);
    await client.agentApprovals.wait(id);
    await client.databases.delete(world.databaseId);
  });

  it("does not count the wait against the call's own timeoutMs", async () => {
    takeTime();
    const client = world.agentThat(
      when(async (id) => {
        vi.advanceTimersByTime(600_000);
        await mock.approvals.approve(id);
      }),
      { timeoutMs: 60_000 },
    );
    await client.databases.delete(world.databaseId);
    expect(world.requests().at(-1)).toBe("databases.delete 204");
  });

  it("applies its own timeoutMs again when it is sent again", async () => {
    takeTime();
    const fetch: Fetch = (url, init) => {
      const isApproved = mock.approvals.list().some(({ status }) => status === "approved");
      if (!isApproved || init.method === "GET") return mock.fetch(url, init);
      minuteLater();
      return new Promise(() => undefined);
    };
    const client = world.agentThat(approve, { fetch, timeoutMs: 60_000 });
    const error = await thrown(client.databases.delete(world.databaseId));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ timeoutMs: 60_000, method: "DELETE" });
  });

  it.each([
    ["the first request", 0, "DELETE"],
    ["a look", 1, "GET"],
    ["the request sent again", 3, "DELETE"],
  ])("ends with the caller's reason in %s", async (_, count, method) => {
    const reason = new Error("The user left.");
    const controller = new AbortController();
    const { sent, fetch } = recorder();
    const client = world.agentThat(approve, {
      fetch: (url, init) => {
        if (sent.length === count) setTimeout(() => controller.abort(reason), 0);
        const answer = fetch(url, init);
        if (sent.length !== count + 1) return answer;
        answer.catch(() => undefined);
        return new Promise(() => undefined);
      },
    });
    const { signal } = controller;
    expect(await thrown(client.databases.delete(world.databaseId, { signal }))).toBe(reason);
    expect(sent.at(-1)?.method).toBe(method);
    expect(sent).toHaveLength(count + 1);
  });

  it("ends with the caller's reason in a pause, before the sponsor has decided", async () => {
    const controller = new AbortController();
    const client = world.agentThat(when(() => setTimeout(() => controller.abort("enough"), 0)));
    const { signal } = controller;
    expect(await thrown(client.databases.delete(world.databaseId, { signal }))).toMatchObject({
      name: "AbortError",
      cause: "enough",
    });
    expect(mock.approvals.list()).toMatchObject([{ status: "pending" }]);
    await world.user.databases.get(world.databaseId);
  });

  it("goes on when onProgress fails, which is printed once", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const problem = new Error("The screen is gone.");
    const client = world.agentThat({
      onProgress: async ({ approvalId, polls }) => {
        if (polls === 1) await mock.approvals.approve(approvalId);
        throw problem;
      },
    });
    await client.databases.delete(world.databaseId);
    expect(world.requests().at(-1)).toBe("databases.delete 204");
    expect(warn.mock.calls).toEqual([[expect.stringContaining("onProgress"), problem]]);
    warn.mockRestore();
  });

  it("throws a 401 that comes while it waits", async () => {
    const client = world.agentThat(
      when(() =>
        mock.faults.add({ operation: "agentApprovals.get", status: 401, code: "auth:unauthorized" }),
      ),
    );
    expect(await thrown(client.databases.delete(world.databaseId))).toBeInstanceOf(AuthUnauthorizedError);
  });

  it("throws the error of the repeated request", async () => {
    const client = world.agentThat(
      when(async (id) => {
        await world.user.databases.delete(world.databaseId);
        await mock.approvals.approve(id);
      }),
    );
    expect(await thrown(client.databases.delete(world.databaseId))).toBeInstanceOf(DatabaseNotFoundError);
  });
});

describe("a call that does not wait", () => {
  it("throws approval_required at once, by default and when configured so", async () => {
    const clients: ClientOptions["waitForApproval"][] = [undefined, false];
    for (const waitForApproval of clients) {
      const error = await thrown(world.agentThat(waitForApproval).databases.delete(world.databaseId));
      expect(error).toBeInstanceOf(ApprovalRequiredError);
    }
    const client = world.agentThat(true);
    const options = { waitForApproval: false };
    expect(await thrown(client.databases.delete(world.databaseId, options))).toBeInstanceOf(
      ApprovalRequiredError,
    );
    expect(world.requests()).toEqual(Array.from({ length: 3 }, () => "databases.delete 403"));
  });

  it("waits when the call says so: as the client says, or otherwise", async () => {
    takeTime();
    const calls: string[] = [];
    const onProgress =
      (name: string) =>
      ({ remainingMs }: ApprovalProgress) => {
        calls.push(`${name} ${remainingMs > 60_000 ? "long" : "short"}`);
        minuteLater();
      };
    const client = world.agentThat({ timeoutMs: 60_000, onProgress: onProgress("client") });
    const fallback = { waitForApproval: true };
    const told = { waitForApproval: { onProgress: onProgress("call") } };
    await thrown(client.databases.delete(world.databaseId, fallback));
    await thrown(client.databases.delete(world.databaseId, told));
    expect(new Set(calls)).toEqual(new Set(["client short", "call short"]));
    await world.agent.databases.delete(world.databaseId, {
      waitForApproval: approve,
    });
  });

  it("includes calls for which no approval would help", async () => {
    const scoped = world.connect(await mock.tokens.agent({ scopes: [] }), { waitForApproval: true });
    expect(await thrown(scoped.databases.delete(world.databaseId))).toBeInstanceOf(AuthForbiddenError);
    const never = world.agentThat(true).workspaces.create();
    expect(await thrown(never)).toBeInstanceOf(AuthForbiddenError);
    expect(world.requests()).toEqual(["databases.delete 403", "workspaces.create 403"]);
  });

  it.each([
    ["an answer without an approval's id", '{"error":{"code":"approval_required","message":"Ask."}}'],
    ["an empty id", '{"error":{"code":"approval_required","message":"Ask.","approvalId":""}}'],
    ["a proxy's page", "<html>Forbidden"],
  ])("includes a response with %s", async (_, body) => {
    mock.faults.add({ operation: "databases.delete", status: 403, body, contentType: "application/json" });
    const error = await thrown(world.agentThat(true).databases.delete(world.databaseId));
    expect(error).toBeInstanceOf(ForbiddenError);
    expect(world.requests()).toEqual(["databases.delete 403"]);
  });

  it("polls at the interval of the client, with the pauses of the call", async () => {
    const pauses: number[] = [];
    const client = world.agentThat({
      pollIntervalMs: 1_234,
      onProgress: async ({ approvalId, polls }) => {
        if (polls === 3) await mock.approvals.approve(approvalId);
      },
    });
    const sleep = (ms: number): number => pauses.push(ms);
    await client.databases.delete(world.databaseId, { waitForApproval: { sleep } });
    expect(pauses).toEqual([1_234, 1_234, 1_234]);
    expect(world.requests()).toHaveLength(6);
  });

  it("ends with the error of sleep, and does not send the request again", async () => {
    const reason = new RangeError("mine");
    const client = world.agentThat({ sleep: () => Promise.reject(reason) });
    expect(await thrown(client.databases.delete(world.databaseId))).toBe(reason);
    expect(world.requests()).toEqual(["databases.delete 403", "agentApprovals.get 200"]);
  });

  it("is refused when its options are invalid, before anything is sent", async () => {
    for (const name of ["timeoutMs", "pollIntervalMs"]) {
      for (const value of [0, -5, Number.NaN]) {
        const waitForApproval = { [name]: value };
        const expected = { argument: `waitForApproval.${name}`, problem: "must be a number above 0" };
        const error = await thrown(Promise.resolve().then(() => world.agentThat(waitForApproval)));
        expect(error).toBeInstanceOf(InvalidArgumentError);
        expect(error).toMatchObject(expected);
        const options = { waitForApproval };
        expect(await thrown(world.agent.databases.delete(world.databaseId, options))).toMatchObject(expected);
      }
    }
    expect(world.requests()).toEqual([]);
  });
});
