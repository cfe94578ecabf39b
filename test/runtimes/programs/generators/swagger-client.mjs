import process from "node:process";
import SwaggerClient from "swagger-client";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
const { apis } = await SwaggerClient({
  url: `${baseUrl}/v1/doc`,
  authorizations: { bearer: { value: token } },
});

const created = await apis.Projects.projects_create({}, { requestBody: { name: project } });
const list = await apis.Projects.projects_list({ limit: 1000 });
const missing = await apis.Projects.projects_get({ id: "proj_cnone0000" }).catch((error) => error);
console.log(
  created.body.data.database.status,
  list.body.data.filter(({ name }) => name === project).length,
  missing.response.body.error.code,
);
