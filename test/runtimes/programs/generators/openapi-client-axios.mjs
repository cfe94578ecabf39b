import process from "node:process";
import { OpenAPIClientAxios } from "openapi-client-axios";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
const api = new OpenAPIClientAxios({
  definition: `${baseUrl}/v1/doc`,
  axiosConfigDefaults: { headers: { authorization: `Bearer ${token}` } },
});
/** @type {import("./client").Client} */
const client = await api.init();

const created = await client["projects.create"](null, { name: project });
const list = await client["projects.list"]({ limit: 1000 });
const missing = await client["projects.get"]("proj_cnone0000").catch((error) => error);
console.log(
  created.data.data.database?.status,
  list.data.data.filter(({ name }) => name === project).length,
  missing.response.data.error.code,
);
