import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { type LoggedRequest, type Mock, setupMock } from "@mgmt/mock";
import { type ClientOptions, type Fetch, type MgmtClient, WaitError, createClient } from "@mgmt/sdk";
import { thrown } from "../server.js";

/** The reference server with a project of two databases, an agent that may not delete them alone, and its sponsor. */
export interface World {
  readonly mock: Mock;
  projectId: string;
  /** The one that may be deleted. */
  databaseId: string;
  agent: MgmtClient;
  user: MgmtClient;
  connect(token: string, more?: Partial<ClientOptions>): MgmtClient;
  /** A client of the agent that waits for approvals as is said. */
  agentThat(waitForApproval: ClientOptions["waitForApproval"], more?: Partial<ClientOptions>): MgmtClient;
  /** Operation and status of every request since the last ask. */
  requests(): string[];
  approvalIds(): string[];
}

/** The clock of the server stands still; time passes only for those who wait. */
export const setupWorld = (): World => {
  const mock = setupMock({ seed: "wait" });
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

/** The same answers, but with another status in the resource: as of a service that is newer than this SDK. */
export const withStatus =
  (fetch: Fetch, path: string, statuses: string[]): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const next = url.includes(path) && init.method === "GET" ? statuses.shift() : undefined;
    if (next === undefined) return response;
    return new Response((await response.text()).replace(/"status":"\w+"/, `"status":"${next}"`), response);
  };

/** From here on time can be moved for those who wait; it also runs by itself. */
export const takeTime = (): void => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], shouldAdvanceTime: true });
};

/** A minute passes for those who wait, once they have gone on. */
export const minuteLater = (): void => {
  setImmediate(() => vi.isFakeTimers() && vi.advanceTimersByTime(60_000));
};

/** What a wait ends with when it does not bring what was waited for. */
export const waitErrorOf = async (wait: Promise<unknown>): Promise<WaitError> => {
  const error = await thrown(wait);
  if (!(error instanceof WaitError)) throw error;
  return error;
};
