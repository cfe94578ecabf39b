import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { baseUrl, token, project } = JSON.parse(process.argv[2] ?? "");
const client = new Client({ name: "program", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: ["client/build/index.js"],
    env: { API_BASE_URL: baseUrl, BEARER_TOKEN_BEARER: token },
    stderr: "ignore",
  }),
);

/** Returns the text of the result, with the JSON of the response. */
const call = async (name, parameters) => {
  const { content } = await client.callTool({ name, arguments: parameters });
  return content.map(({ text }) => text).join("\n");
};

const created = await call("projects_create", { requestBody: { name: project } });
const list = await call("projects_list", { limit: 1000 });
const missing = await call("projects_get", { id: "proj_cnone0000" });
console.log(
  /"status": "(\w+)"/.exec(created)?.[1],
  list.split(`"name": "${project}"`).length - 1,
  /project:not_found/.exec(missing)?.[0],
);
await client.close();
