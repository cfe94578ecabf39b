import process from "node:process";
import { client } from "./client/client.gen";
import { projectsCreate, projectsGet, projectsList } from "./client/sdk.gen";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
client.setConfig({ baseUrl, auth: token, throwOnError: true });

const created = await projectsCreate({ body: { name: project }, throwOnError: true });
const list = await projectsList({ query: { limit: 1000 }, throwOnError: true });
const missing = await projectsGet({ path: { id: "proj_cnone0000" }, throwOnError: false });
console.log(
  created.data.data.database?.status,
  list.data.data.filter(({ name }) => name === project).length,
  missing.error?.error.code,
);
