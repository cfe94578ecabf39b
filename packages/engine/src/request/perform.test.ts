import { beforeEach, describe, expect, it } from "vitest";
import { MemoryState } from "../server/memory-state.js";
import { type TransactionOptions, type Preload, buildTables } from "@mgmt/engine/internal";
import { RateWindows } from "../store/rate-window.js";
import { MemoryServer, createMemoryDatabaseEngine } from "@mgmt/engine";
import { Engine } from "./engine.js";
import { createOpenSignIn } from "../oauth/sign-in.js";
import { DatabaseWork } from "../context/database-work.js";
import { RequestLog } from "./request-log.js";
import type { RequestContext } from "../context/request-context.js";
import { StateChangedError } from "../values/state-changed-error.js";
import { operationHandlers } from "../rules/handlers.js";
import { JobClaimedError, SupersededError } from "../jobs/job-handler.js";

/** The server that signs the tokens, and whose rows the requests use. */
let first: MemoryServer;
let workspaceId: string;
let accesses: TransactionOptions[];
let wanted: Preload[];
let defects: unknown[];
/** Errors that the next transactions throw. */
let changes: StateChangedError[];
/** What the next jobs result in that a request waits for, after they have run. */
let jobResults: Error[];

beforeEach(() => {
  first = new MemoryServer({ deterministic: "transactions" });
  workspaceId = first.defaults.workspace.id;
  [accesses, wanted, defects, changes, jobResults] = [[], [], [], [], []];
});

/** Opens a server with the rows of the first one, which records its transactions. */
const open = (): Engine => {
  const onDefect = (error: unknown): void => void defects.push(error);
  const snapshot = first.snapshot();
  const { context } = new MemoryState(buildTables(snapshot, { initialSnapshot: snapshot, draws: null }), {
    settings: first.settings,
    databaseEngine: createMemoryDatabaseEngine("mgmt.test"),
    signIn: createOpenSignIn(undefined, "https://auth.test"),
    databaseWork: new DatabaseWork(),
    windows: new RateWindows(),
    afterMutation: undefined,
    onDefect,
  });
  const recording: RequestContext = {
    ...context,
    transact: (access, step, preloads) => {
      accesses.push(access);
      wanted.push(...(preloads?.() ?? []));
      const change = changes.shift();
      if (change) return Promise.reject(change);
      return context.transact(access, step, preloads);
    },
    runJob: (job) => {
      const result = jobResults.shift();
      const attempted = context.runJob(job);
      return result ? attempted.then(() => result) : attempted;
    },
  };
  return new Engine({
    ...{
      getRequestContext: () => recording,
      handlers: operationHandlers,
      onDefect,
      validateResponses: true,
    },
    ...{
      faults: { hasFaults: false, strike: () => undefined },
      log: new RequestLog(10),
      requestIdPrefix: "req_",
    },
  });
};

const send = async (method: string, path: string, token: string, body?: object): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const text = body && JSON.stringify(body);
  return (await open().handle({ method, path, headers, body: text })).status;
};

describe("the transactions of a request", () => {
  it("are a single read transaction for a GET", async () => {
    const { id } = await first.seed.project();
    expect(await send("GET", `/v1/projects/${id}`, await first.tokens.user())).toBe(200);
    expect(accesses).toEqual([{ mode: "read", locks: [workspaceId] }]);
  });

  it("are a single write transaction that locks the workspace of the token, for a change", async () => {
    const { id } = await first.seed.project();
    expect(await send("DELETE", `/v1/projects/${id}`, await first.tokens.service())).toBe(204);
    expect(accesses).toEqual([{ mode: "write", locks: [workspaceId] }]);
  });

  it("lock nothing without a valid token", async () => {
    expect(await send("POST", "/v1/projects", "not.a.token")).toBe(401);
    expect(accesses).toEqual([{ mode: "write", locks: [] }]);
    expect(wanted).toEqual([]);
  });

  it("lock the workspaces of both tokens of a transfer, once they are verified", async () => {
    const { id } = await first.seed.project();
    const recipientAccessToken = await first.tokens.otherUser();
    const token = await first.tokens.user();
    const path = `/v1/projects/${id}/transfer`;
    expect(await send("POST", path, token, { recipientAccessToken })).toBeLessThan(300);
    const locks = [workspaceId, first.defaults.otherWorkspace.id];
    expect(accesses).toEqual([
      { mode: "read", locks: [workspaceId] },
      { mode: "write", locks },
    ]);
  });

  it("lock one workspace if the other token of a transfer is not valid", async () => {
    const { id } = await first.seed.project();
    const body = { recipientAccessToken: "not.a.token" };
    await send("POST", `/v1/projects/${id}/transfer`, await first.tokens.user(), body);
    expect(accesses.at(-1)).toEqual({ mode: "write", locks: [workspaceId] });
  });

  it("name the rows that they probably read", async () => {
    const { id } = await first.seed.project();
    await send("GET", `/v1/projects/${id}`, await first.tokens.user());
    expect(wanted).toContainEqual({ read: "row", table: "projects", id });
    expect(wanted).toContainEqual({ read: "row", table: "workspaces", id: workspaceId });
  });
});

describe("a request that meets a change of the server's state", () => {
  it("runs again from its start, and succeeds", async () => {
    changes = [new StateChangedError(), new StateChangedError()];
    expect(await send("GET", "/v1/me", await first.tokens.user())).toBe(200);
    expect(accesses).toHaveLength(3);
  });

  it("is refused with 503 when the state changes all the time, which is no defect", async () => {
    changes = Array.from({ length: 1_000 }, () => new StateChangedError());
    expect(await send("GET", "/v1/me", await first.tokens.user())).toBe(503);
    expect(accesses).toHaveLength(100);
    expect(defects).toEqual([]);
  });
});

describe("a request whose job", () => {
  const rotate = async (): Promise<number> => {
    const { id: databaseId } = await first.seed.database((await first.seed.project()).id);
    const { id } = await first.seed.connection(databaseId);
    return send("POST", `/v1/connections/${id}/rotate`, await first.tokens.user());
  };

  it("is superseded by another request runs again", async () => {
    jobResults = [new SupersededError()];
    expect(await rotate()).toBe(200);
    expect(accesses.map(({ mode }) => mode)).toEqual(["write", "write"]);
  });

  it.for([
    { error: new JobClaimedError(), status: 204, what: "was done by another process" },
    { error: new SupersededError(), status: 404, what: "is superseded by another deletion" },
  ])("$what responds with $status", async ({ error, status }) => {
    const { id } = await first.seed.database((await first.seed.project()).id);
    jobResults = [error];
    expect(await send("DELETE", `/v1/databases/${id}`, await first.tokens.user())).toBe(status);
    expect(accesses.map(({ mode }) => mode)).toEqual(["write", "write"]);
  });

  it("fails responds with 500 and reports the error", async () => {
    const failure = new Error("disk full");
    jobResults = [failure];
    expect(await rotate()).toBe(500);
    expect(defects).toEqual([failure]);
  });
});
