// What a program on Node says to the SDK and the reference server; compiled as an ES module and as CommonJS.
import { createClient, isApiError } from "@mgmt/sdk";
import { createAuthenticator } from "@mgmt/sdk/auth";
import { fileStore, loginWithLoopback } from "@mgmt/sdk/auth/node";
import { type NodeTransport, nodeTransport } from "@mgmt/sdk/node";
import { type RunningServer, createServer } from "@mgmt/mock/server";

const transport: NodeTransport = nodeTransport();
const oauth = { authUrl: "https://auth.example.com", clientId: "itgr_1", store: fileStore("login.json") };
const { token } = createAuthenticator({ ...oauth, transport });

export const run = async (): Promise<string> => {
  const server: RunningServer = await createServer();
  const client = createClient({ baseUrl: server.baseUrl, token, transport });
  try {
    const { issuer } = await loginWithLoopback({ ...oauth, open: (url) => console.log(url) });
    return (await client.me.get()).user?.email ?? issuer;
  } catch (error) {
    return isApiError(error, "auth:unauthorized") ? error.message : "something else";
  }
};
