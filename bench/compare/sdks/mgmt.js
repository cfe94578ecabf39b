import { setupMock } from "@mgmt/mock";
import { createClient } from "@mgmt/sdk";

const setup = `import { createClient, isApiError } from "@mgmt/sdk";
const client = createClient({ baseUrl: "https://api.example.com", token: "t" });`;
const caught =
  "const error: unknown = await client.services.create({ projectId: 'p', displayName: 'web' }).catch((e) => e);";

export const sdk = {
  name: "@mgmt/sdk",
  packages: ["@mgmt/sdk"],
  import: ["@mgmt/sdk", "createClient"],
  programs: {
    oneCall: `import { createPartialClient, ProjectsResource } from "@mgmt/sdk/partial";
      const client = createPartialClient({ projects: ProjectsResource });
      console.log(await client.projects.list());`,
    everything: `import { createClient } from "@mgmt/sdk"; console.log(await createClient().projects.list());`,
    create: `${setup}\nconst result = await client.projects.create({ name: "shop" });`,
    wrongField: `${setup}\nawait client.projects.create({ nmae: "shop" });`,
    wrongCode: `${setup}\n${caught}\nif (isApiError(error) && error.code === "project:gone") throw error;`,
  },
  client: (baseUrl, token, options) => createClient({ baseUrl, token, ...options }),
  list: (client, options) => client.projects.list({}, options),
  create: (client, options) => client.projects.create({ name: "shop" }, options),
  createOnce: (client) => client.projects.ensure({ logicalId: "shop", name: "shop", createDatabase: false }),
  get: (client, id) => client.projects.get(id),
  iterate: (client) => client.projects.list(),
  page: (ids, next) => ({
    body: {
      data: ids.map((id) => ({ id })),
      pagination: { nextCursor: next ?? null, hasMore: next !== undefined },
    },
  }),
  service: () => {
    const mock = setupMock();
    const { token } = mock.clientOptions();
    let created = 0;
    return {
      respond: async ({ method, path, body }) => {
        const headers = { authorization: `Bearer ${await token({})}`, "content-type": "application/json" };
        const response = await mock.fetch(`${mock.baseUrl}${path}`, { method, headers, body: body || null });
        if (response.status === 201) created += 1;
        return { status: response.status, body: await response.json() };
      },
      created: () => created,
    };
  },
  created: { data: { id: "p-0" } },
  secret: (value) => ({ data: { id: "p-0", database: { connectionString: value } } }),
  failure: (code) => ({ error: { code, message: "It failed." } }),
  codeOf: (error) => error.code,
  retriesOption: (value) => ({ maxRetries: value }),
  withRetriedList: async () => {
    const mock = setupMock();
    mock.faults.add({ operation: "projects.list", status: 503, times: 2 });
    const started = performance.now();
    await mock.client().projects.list();
    return performance.now() - started;
  },
};
