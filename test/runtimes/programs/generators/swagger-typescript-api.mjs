import process from "node:process";
import { Api } from "./client";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
const { v1 } = new Api({ baseUrl, baseApiParams: { headers: { authorization: `Bearer ${token}` } } });

const created = await v1.projectsCreate({ name: project });
const list = await v1.projectsList({ limit: 1000 });
const missing = await v1.projectsGet("proj_cnone0000").catch((response) => response);
console.log(
  created.data.data.database?.status,
  list.data.data.filter(({ name }) => name === project).length,
  missing.error.error.code,
);
