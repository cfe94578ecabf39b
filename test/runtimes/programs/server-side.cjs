// The same as CommonJS, and the errors of both forms of the SDK beside each other.
const process = require("node:process");
const sdk = require("@mgmt/sdk");
const auth = require("@mgmt/sdk/auth");
const { nodeTransport } = require("@mgmt/sdk/node");

const server = JSON.parse(process.argv[2]);
const run = async () => {
  const { logIn, useClient } = await import("./smoke.mjs");
  for (const transport of [undefined, nodeTransport()]) {
    await useClient(sdk, { ...server, transport });
    await logIn(sdk, auth, { ...server, transport });
  }
  const { ProjectNotFoundError } = await import("@mgmt/sdk");
  const error = await sdk
    .createClient({ baseUrl: server.baseUrl, token: server.token })
    .projects.get("proj_gone")
    .catch((each) => each);
  // Deno loads the CommonJS form for an import inside CommonJS too.
  const areTwo = ProjectNotFoundError !== sdk.ProjectNotFoundError;
  if (!areTwo && !("Deno" in globalThis)) throw new Error("Not so: there are two forms");
  if (!(error instanceof ProjectNotFoundError)) throw new Error("Not so: instanceof works across both forms");
  console.log("all is so");
};
run().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
