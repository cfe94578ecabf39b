import process from "node:process";
import createClient from "openapi-fetch";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
/** @type {import("openapi-fetch").Client<import("./client").paths>} */
const client = createClient({ baseUrl, headers: { authorization: `Bearer ${token}` } });

const created = await client.POST("/v1/projects", { body: { name: project } });
if (created.error) throw new Error(created.error.error.message);
const list = await client.GET("/v1/projects", { params: { query: { limit: 1000 } } });
if (list.error) throw new Error(list.error.error.message);
const missing = await client.GET("/v1/projects/{id}", { params: { path: { id: "proj_cnone0000" } } });
console.log(
  created.data.data.database?.status,
  list.data.data.filter(({ name }) => name === project).length,
  missing.error?.error.code,
);
