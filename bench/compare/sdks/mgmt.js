import { setupMock } from "@mgmt/mock";
import { createClient } from "@mgmt/sdk";
import { projectService } from "../project-service.js";

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
  get: (client, id, options) => client.projects.get(id, options),
  iterate: (client) => client.projects.list(),
  page: (ids, next) => ({
    body: {
      data: ids.map((id) => ({ id })),
      pagination: { nextCursor: next ?? null, hasMore: next !== undefined },
    },
  }),
  service: projectService,
  created: { data: { id: "p-0" } },
  secret: (value) => ({ data: { id: "p-0", database: { connectionString: value } } }),
  failure: (code) => ({ error: { code, message: "It failed." } }),
  codeOf: (error) => error.code,
  retriesOption: (value) => ({ maxRetries: value }),
  connect: {
    bodies: (connectionString) => {
      const { host, username, password } = new URL(connectionString);
      const directConnection = { host, user: username, pass: password };
      const database = { id: "d-0", connections: [{ id: "c-0", directConnection, endpoints: {} }] };
      return [
        { data: { id: "p-0", database: { ...database, status: "provisioning" } } },
        { data: { ...database, status: "provisioning" } },
        { data: { ...database, status: "ready" } },
      ];
    },
    run: async (client) => (await client.projects.createAndConnect({ name: "shop" })).connectionString,
  },
  withRetriedList: async () => {
    const mock = setupMock();
    mock.faults.add({ operation: "projects.list", status: 503, times: 2 });
    const started = performance.now();
    await mock.client().projects.list();
    return performance.now() - started;
  },
};
