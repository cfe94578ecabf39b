import process from "node:process";
import { defaults, projectsCreate, projectsGet, projectsList } from "./client";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
defaults.baseUrl = baseUrl;
defaults.headers = { authorization: `Bearer ${token}` };

const created = await projectsCreate({ name: project });
const list = await projectsList({ limit: 1000 });
const missing = await projectsGet("proj_cnone0000");
console.log(
  created.status === 201 && created.data.data.database?.status,
  list.status === 200 && list.data.data.filter(({ name }) => name === project).length,
  missing.status === 404 && missing.data.error.code,
);
