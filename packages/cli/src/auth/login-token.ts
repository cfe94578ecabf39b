import type { Profile } from "../profiles/profile.js";
import type { Context } from "../run/context.js";
import { nodeTransport } from "../sdk.js";
import { clientId } from "./client.js";
import { storeOf } from "./credential-store.js";
import { createAuthenticator } from "./sdk-auth.js";

/** Gives a token whenever it is asked. */
export type LoginToken = ReturnType<typeof createAuthenticator>["token"];

/** The token of a profile's login, refreshed when it is about to end, once for all processes. */
export const loginToken = (
  { file, name, profile }: { file: string; name: string; profile: Profile },
  { output }: Pick<Context, "output">,
): LoginToken => {
  const { token } = createAuthenticator({
    authUrl: profile.authUrl ?? profile.baseUrl,
    clientId,
    transport: nodeTransport(),
    store: storeOf({ file, name, profile }),
    // The command goes on with the token that it has.
    onBackgroundError: (error) => {
      const { message = "The login could not be refreshed", code = "auth:refresh_failed" } =
        error instanceof Error ? (error as Error & { code?: string }) : {};
      void output.warn({ code, message });
    },
  });
  return token;
};
