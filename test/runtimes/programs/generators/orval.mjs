import process from "node:process";
import { projectsCreate, projectsGet, projectsList } from "./client";

const { token, project } = JSON.parse(process.argv[2] ?? "");
const options = { headers: { authorization: `Bearer ${token}` } };

const created = await projectsCreate({ name: project }, options);
const list = await projectsList({ limit: 1000 }, options);
const missing = await projectsGet("proj_cnone0000", options);
console.log(
  created.status === 201 && created.data.data.database?.status,
  list.status === 200 && list.data.data.filter(({ name }) => name === project).length,
  missing.status === 404 && missing.data.error.code,
);
