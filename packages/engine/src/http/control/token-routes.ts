import {
  type ControlRoutes,
  type Fields,
  getOneOf,
  getOptionalString,
  getOptionalStrings,
  omitUndefined,
} from "./fields.js";
import type { Server } from "../../server/server.js";
import type { AgentTokenOptions, ServiceTokenOptions, UserTokenOptions } from "../../control/token-mint.js";

const tokenKinds = ["user", "other-user", "service", "agent", "expired", "without-scope"] as const;

type AnyTokenOptions = UserTokenOptions & ServiceTokenOptions & AgentTokenOptions;

/** Returns the options of a token of any kind. `TokenMint` uses only the options of that kind of token. */
const parseTokenOptions = (fields: Fields): Partial<AnyTokenOptions> =>
  omitUndefined<AnyTokenOptions>({
    userId: getOptionalString(fields, "userId"),
    workspaceId: getOptionalString(fields, "workspaceId"),
    integrationId: getOptionalString(fields, "integrationId"),
    serviceTokenId: getOptionalString(fields, "serviceTokenId"),
    agentId: getOptionalString(fields, "agentId"),
    sponsorId: getOptionalString(fields, "sponsorId"),
    expiresAt: getOptionalString(fields, "expiresAt"),
    notBefore: getOptionalString(fields, "notBefore"),
    scopes: getOptionalStrings(fields, "scopes"),
  });

const signToken = (server: Server, fields: Fields): Promise<string> => {
  const options = parseTokenOptions(fields);
  switch (getOneOf(fields, "kind", tokenKinds)) {
    case "user":
      return server.tokens.user(options);
    case "other-user":
      return server.tokens.otherUser(options);
    case "service":
      return server.tokens.service(options);
    case "agent":
      return server.tokens.agent(options);
    case "expired":
      return server.tokens.expired();
    case "without-scope":
      return server.tokens.withoutScope();
  }
};

/** The control routes that create tenants and tokens. */
export const tokenRoutes: ControlRoutes = {
  "POST /tenants": async (server, _pathValues, fields) => {
    const { workspace, user, tokens } = await server.createTenant(getOptionalString(fields, "name"));
    return { workspace, user, token: await tokens.user(), serviceToken: await tokens.service() };
  },
  "POST /tokens": async (server, _pathValues, fields) => ({ token: await signToken(server, fields) }),
};
