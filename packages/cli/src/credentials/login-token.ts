import type { Context } from "../context.js";
import type { Profile } from "../profiles/profile.js";
import { nodeTransport } from "../service/sdk.js";
import { storeOf } from "./credential-store.js";
import { clientId, createAuthenticator } from "./oauth.js";
import { debugRequests } from "../service/debug-requests.js";
import { sendToOwnService } from "../service/own-service.js";

/** Returns the current access token of a login. */
export type LoginToken = ReturnType<typeof createAuthenticator>["token"];

/** Returns a function for the access token of a profile's login. It refreshes the token, once for all processes. */
export const loginToken = (
  { file, name, profile }: { file: string; name: string; profile: Profile },
  context: Pick<Context, "output" | "encryption" | "signal">,
): LoginToken => {
  const { output, encryption } = context;
  const { token } = createAuthenticator({
    authUrl: profile.authUrl ?? profile.baseUrl,
    allowInsecureHttp: encryption.isOptional,
    clientId,
    transport: sendToOwnService(debugRequests(nodeTransport(), output), { name, profile }, context),
    store: storeOf({ file, name, profile }),
    // The command continues with the token that it has.
    onBackgroundError: (error) => {
      const { message = "The login could not be refreshed", code = "auth:refresh_failed" } =
        error instanceof Error ? (error as Error & { code?: string }) : {};
      void output.warn({ code, message });
    },
  });
  return token;
};
