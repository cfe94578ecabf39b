// Runs on any runtime. Uses the mock inside the program, and throws at the first unexpected result.
import { setupMock } from "@mgmt/mock";
import { createClient, isApiError } from "@mgmt/sdk";

export const useMock = async () => {
  const mock = setupMock({ deterministic: "runtimes" });
  const client = createClient(mock.clientOptions());
  const { id } = await client.projects.create({ name: "shop" });
  const [database] = await client.projects.databases.list(id).toArray();
  // The clock is frozen, and the client moves it.
  const { status } = await client.databases.waitUntilReady(database.id, { timeoutMs: 3_600_000 });
  same(status, "ready");
  const headers = { authorization: `Bearer ${await mock.tokens.service()}` };
  const listed = await mock.fetch(`${mock.baseUrl}/v1/projects`, { headers });
  const { data } = await listed.json();
  same([listed.status, data.map(({ name }) => name)], [200, ["shop"]]);
  const gone = await client.projects.get("proj_gone").catch((error) => error);
  same([isApiError(gone, "project:not_found"), gone.status], [true, 404]);
  const refused = await mock.fetch(`${mock.baseUrl}/v1/projects`);
  same([refused.status, (await refused.json()).error.code], [401, "auth:unauthorized"]);
  mock.faults.add({ operation: "projects.list", drop: "midway" });
  const cut = await mock.fetch(`${mock.baseUrl}/v1/projects`, { headers });
  const error = await cut.text().catch((thrown) => thrown);
  same(error instanceof TypeError, true);
  return "all is so";
};

const same = (found, expected) => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${a}, not ${b}`);
};
