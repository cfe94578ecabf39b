import process from "node:process";
import { OpenAPI, ProjectsService } from "./client";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
OpenAPI.BASE = baseUrl;
OpenAPI.TOKEN = token;

const created = await ProjectsService.projectsCreate({ name: project });
const list = await ProjectsService.projectsList(undefined, 1000);
const missing = await ProjectsService.projectsGet("proj_cnone0000").catch((error) => error);
console.log(
  created.data.database?.status,
  list.data.filter(({ name }) => name === project).length,
  missing.body.error.code,
);
