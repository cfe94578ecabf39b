import process from "node:process";
import { setConfig } from "@kubb/plugin-client/clients/axios";
import { projectsCreate, projectsGet, projectsList } from "./client";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
setConfig({ baseURL: baseUrl, headers: { authorization: `Bearer ${token}` } });

const created = await projectsCreate({ name: project });
const list = await projectsList({ limit: 1000 });
const missing = await projectsGet("proj_cnone0000").catch((error) => error);
console.log(
  created.data.database?.status,
  list.data.filter(({ name }) => name === project).length,
  missing.response.data.error.code,
);
