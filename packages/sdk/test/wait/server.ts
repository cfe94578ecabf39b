import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { type LoggedRequest, type Mock, setupMock } from "@mgmt/mock";
import { type ClientOptions, type Fetch, type MgmtClient, WaitError, createClient } from "@mgmt/sdk";
import { thrown } from "../server.js";

/**
 * Starts the reference server with a project of two databases, an agent whose deletions need approval, and
 * its sponsor.
 */
export interface World {
  readonly mock: Mock;
  projectId: string;
  /** The database that may be deleted. */
  databaseId: string;
  agent: MgmtClient;
  user: MgmtClient;
  connect(token: string, more?: Partial<ClientOptions>): MgmtClient;
  /** Returns a client of the agent with these options for approvals. */
  agentThat(waitForApproval: ClientOptions["waitForApproval"], more?: Partial<ClientOptions>): MgmtClient;
  /** Returns the operation and status of every request since the last call. */
  requests(): string[];
  approvalIds(): string[];
}

/** Freezes the server's clock and replaces the timers of waits. */
export const setupWorld = (): World => {
  const mock = setupMock({ deterministic: "wait" });
  let token = "";
  let seen: LoggedRequest[] = [];
  const connect: World["connect"] = (credential, more) =>
    createClient({ baseUrl: mock.baseUrl, token: credential, fetch: mock.fetch, ...more });
  const world: World = {
    mock,
    projectId: "",
    databaseId: "",
    agent: connect("none"),
    user: connect("none"),
    connect,
    agentThat: (waitForApproval, more) => connect(token, { waitForApproval, ...more }),
    requests() {
      const all = mock.requests;
      const fresh = all.slice(seen.length);
      seen = all;
      return fresh.map(({ operationId, status }) => `${operationId} ${status}`);
    },
    approvalIds: () => mock.approvals.list().map(({ id }) => id),
  };
  beforeEach(async () => {
    await mock.reset();
    seen = [];
    const { id } = await mock.seed.project({ name: "shop" });
    world.projectId = id;
    world.databaseId = (await mock.seed.database(id)).id;
    token = await mock.tokens.agent();
    world.agent = connect(token);
    world.user = connect(await mock.tokens.user());
    world.requests();
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(() => mock.close());
  return world;
};

/** Returns the same responses with another status of the resource, like a newer service. */
export const withStatus =
  (fetch: Fetch, path: string, statuses: string[]): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const next = url.includes(path) && init.method === "GET" ? statuses.shift() : undefined;
    if (next === undefined) return response;
    const text = (await response.text()).replace(/"status":"\w+"/, `"status":"${next}"`);
    return new Response(text, { status: response.status });
  };

/** Replaces the timers of waits, which still advance by themselves. */
export const takeTime = (): void => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], shouldAdvanceTime: true });
};

/** Advances the timers of waits by a minute, after pending promises have resolved. */
export const minuteLater = (): void => {
  setImmediate(() => vi.isFakeTimers() && vi.advanceTimersByTime(60_000));
};

/** Returns the error that a wait ends with. */
export const waitErrorOf = async (wait: Promise<unknown>): Promise<WaitError> => {
  const error = await thrown(wait);
  if (!(error instanceof WaitError)) throw error;
  return error;
};
