import { createNeonClient } from "@neon/sdk";
import { serviceWithKeys } from "../service-with-keys.js";

const setup = `import { createNeonClient, isNeonError } from "@neon/sdk";
const client = createNeonClient({ baseUrl: "https://api.example.com", apiKey: "t" });`;

/** Returns what a call returns with `throwOnError: true`. */
const dataOf = async (call) => {
  const { data, error } = await call;
  if (error !== undefined) throw error;
  return data;
};
const project = { id: "p-0", name: "shop" };

export const sdk = {
  name: "@neon/sdk",
  packages: ["@neon/sdk"],
  import: ["@neon/sdk", "createNeonClient"],
  programs: {
    oneCall: `import { createClient, createConfig, listProjects } from "@neon/sdk/raw";
      const client = createClient(createConfig({ baseUrl: "https://console.neon.tech/api/v2", auth: () => "t" }));
      console.log(await listProjects({ client }));`,
    everything: `import { createNeonClient } from "@neon/sdk"; console.log(await createNeonClient({ apiKey: "t" }).projects.list().page());`,
    create: `${setup}\nconst result = await client.projects.create({ name: "shop" });`,
    wrongField: `${setup}\nawait client.projects.create({ nmae: "shop" });`,
    wrongCode: `${setup}\nconst { error } = await client.projects.create();
if (error?.kind === "gone") throw error;`,
  },
  client: (baseUrl, token, options) => createNeonClient({ baseUrl, apiKey: token, ...options }),
  list: async (client, options) => (await dataOf(client.projects.list({}, options).page())).items,
  create: (client, options) => dataOf(client.projects.create({ name: "shop" }, options)),
  createOnce: (client) => dataOf(client.projects.create({ name: "shop" })),
  get: (client, projectId, options) => dataOf(client.projects.get({ projectId }, options)),
  iterate: (client) => client.projects.list(),
  page: (ids, next) => ({ body: { projects: ids.map((id) => ({ id })), pagination: { cursor: next } } }),
  service: () => serviceWithKeys({ project }),
  created: { project },
  secret: (value) => ({ project: { ...project, connection_uri: value } }),
  failure: (code) => ({ code, message: "It failed." }),
  codeOf: (error) => error.code,
  retriesOption: (value) => ({ retries: value }),
  connect: {
    bodies: (connectionString) => {
      const operation = { id: "o-0", project_id: project.id, status: "running" };
      return [
        {
          project,
          connection_uris: [{ connection_uri: connectionString, connection_parameters: {} }],
          operations: [operation],
        },
        { operation },
        { operation: { ...operation, status: "finished" } },
      ];
    },
    run: async (client) =>
      (await dataOf(client.projects.createAndConnect({ name: "shop" }))).connectionString,
  },
};
