import { setTimeout as sleep } from "node:timers/promises";
import { createManagementApiClient } from "@prisma/management-api-sdk";
import { projectService } from "../project-service.js";

const setup = `import { createManagementApiClient } from "@prisma/management-api-sdk";
const client = createManagementApiClient({ baseUrl: "https://api.example.com", token: "t" });`;
const list = `import { createManagementApiClient } from "@prisma/management-api-sdk";
console.log(await createManagementApiClient({ token: "t" }).GET("/v1/projects"));`;

/** Returns the body of a response. Throws the body of a failed one, which is the error that the client returns. */
const dataOf = async (call) => {
  const { data, error } = await call;
  if (error !== undefined) throw error;
  return data;
};
const create = (client, options) =>
  dataOf(client.POST("/v1/projects", { body: { name: "shop" }, ...options }));

export const sdk = {
  name: "@prisma/management-api-sdk",
  packages: ["@prisma/management-api-sdk"],
  import: ["@prisma/management-api-sdk", "createManagementApiClient"],
  programs: {
    oneCall: list,
    everything: list,
    create: `${setup}\nconst result = await client.POST("/v1/projects", { body: { name: "shop" } });`,
    wrongField: `${setup}\nawait client.POST("/v1/projects", { body: { nmae: "shop" } });`,
    wrongCode: `${setup}\nconst { error } = await client.POST("/v1/projects", { body: {} });
if (error?.error.code === "project:gone") throw error;`,
  },
  client: (baseUrl, token, options) => createManagementApiClient({ baseUrl, token, ...options }),
  list: (client, options) => dataOf(client.GET("/v1/projects", options)),
  create,
  createOnce: (client) => create(client),
  get: (client, id, options) =>
    dataOf(client.GET("/v1/projects/{id}", { params: { path: { id } }, ...options })),
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
  codeOf: ({ error }) => error?.code,
  connect: {
    bodies: (connectionString) => [
      { data: { id: "p-0", database: { id: "d-0", status: "provisioning", connectionString } } },
      { data: { id: "d-0", status: "provisioning" } },
      { data: { id: "d-0", status: "ready" } },
    ],
    run: async (client) => {
      const project = await create(client);
      const { id, connectionString } = project.data.database;
      for (;;) {
        const { data } = await dataOf(
          client.GET("/v1/databases/{databaseId}", { params: { path: { databaseId: id } } }),
        );
        if (data.status === "ready") return connectionString;
        await sleep(1);
      }
    },
  },
};
