// The SDK as an ES module, with `node:http` too: for Node and what is like it. Its argument says where the reference server is.
import process from "node:process";
import * as sdk from "@mgmt/sdk";
import * as auth from "@mgmt/sdk/auth";
import { nodeTransport } from "@mgmt/sdk/node";
import { logIn, useClient } from "./smoke.mjs";

const server = JSON.parse(process.argv[2]);
for (const transport of [undefined, nodeTransport()]) {
  await useClient(sdk, { ...server, transport });
  await logIn(sdk, auth, { ...server, transport });
  transport?.close();
}
console.log("all is so");
