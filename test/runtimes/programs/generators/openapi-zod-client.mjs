import process from "node:process";
import { isErrorFromAlias } from "@zodios/core";
import { api, createApiClient } from "./client";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
const client = createApiClient(baseUrl, {
  axiosConfig: { headers: { authorization: `Bearer ${token}` } },
});

// The client validates requests and responses.
const created = await client["projects.create"]({ name: project });
const list = await client["projects.list"]({ queries: { limit: 1000 } });
const missing = await client["projects.get"]({ params: { id: "proj_cnone0000" } }).catch((error) => error);
console.log(
  created.data.database?.status,
  list.data.filter(({ name }) => name === project).length,
  isErrorFromAlias(api.api, "projects.get", missing) && missing.response.data.error.code,
);
