import type { Context } from "../input/context.js";
import type { Profile } from "../profiles/profile.js";
import { nodeTransport } from "../sdk/sdk.js";
import { createLoginStore } from "./credential-store.js";
import { oauthClientId, createAuthenticator } from "../sdk/oauth.js";
import { observeRequests } from "../transport/observe-requests.js";
import { createExplainedTransport } from "../transport/explained-transport.js";
import { requireServiceProof } from "./dev-service-proof.js";

/** Returns the current access token of a login. */
export type LoginToken = ReturnType<typeof createAuthenticator>["token"];

/** Returns a function for the access token of a profile's login. It refreshes the token, once for all processes. */
export const createLoginTokenReader = (
  { file, name, profile }: { file: string; name: string; profile: Profile },
  context: Pick<Context, "output" | "trace" | "insecureUrls" | "signal">,
): LoginToken => {
  const { output, insecureUrls } = context;
  const nodeHttpTransport = nodeTransport();
  const transport = createExplainedTransport(
    requireServiceProof(
      observeRequests(nodeHttpTransport, context),
      { name, profile },
      context,
      nodeHttpTransport,
    ),
  );
  const { token } = createAuthenticator({
    authUrl: profile.authUrl ?? profile.baseUrl,
    allowInsecureHttp: insecureUrls.isAllowed,
    clientId: oauthClientId,
    transport,
    store: createLoginStore({ file, name, profile }),
    // The command continues with the token that it has.
    onBackgroundError: (error) => void warnAboutRefresh(transport.explain() ?? error, output),
  });
  return async (options) => {
    try {
      return await token(options);
    } catch (error) {
      throw transport.explain() ?? error;
    }
  };
};

/** Warns why a login could not be refreshed, with the remedy that a failure of the request itself would have. */
const warnAboutRefresh = async (error: unknown, output: Context["output"]): Promise<void> => {
  const { code, message, hint } = await output.describeFailure(error);
  // Other errors concern a host, and do not contain the request.
  const warningMessage = code.startsWith("auth:") ? message : `The login could not be refreshed: ${message}`;
  await output.warn({ code, message: warningMessage, ...(hint !== undefined && { hint }) });
};
