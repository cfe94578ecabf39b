import process from "node:process";
import { createApiClient } from "./client";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
const client = createApiClient(
  {
    fetch: ({ method, url, urlSearchParams, parameters }) => {
      url.search = String(urlSearchParams ?? "");
      return fetch(url, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(parameters?.body !== undefined && { body: JSON.stringify(parameters.body) }),
      });
    },
  },
  baseUrl,
);

const created = await client.post("/v1/projects", { body: { name: project } });
const list = await client.get("/v1/projects", { query: { limit: 1000 } });
const missing = await client.get("/v1/projects/{id}", {
  path: { id: "proj_cnone0000" },
  withResponse: true,
});
console.log(
  created.data.database?.status,
  list.data.filter(({ name }) => name === project).length,
  missing.status === 404 && missing.data.error.code,
);
