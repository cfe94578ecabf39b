// Tests the SDK as an ES module, with `node:http` too, on Node.js and compatible runtimes. The argument
// describes the reference server.
import process from "node:process";
import * as sdk from "@mgmt/sdk";
import * as auth from "@mgmt/sdk/auth";
import { nodeTransport } from "@mgmt/sdk/node";
import { ProjectsResource, createPartialClient } from "@mgmt/sdk/partial";
import { logIn, useClient } from "./smoke.mjs";

const server = JSON.parse(process.argv[2]);
for (const transport of [undefined, nodeTransport()]) {
  await useClient(sdk, { ...server, transport });
  await logIn(sdk, auth, { ...server, transport });
  transport?.close();
}
const { baseUrl, token } = server;
const { projects } = createPartialClient({ projects: ProjectsResource }, { baseUrl, token });
if ((await projects.list({ limit: 1 })).data.length !== 1)
  throw new Error("Not so: a client of one resource lists it");
console.log("all is so");
