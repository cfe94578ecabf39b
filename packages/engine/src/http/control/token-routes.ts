import { type ControlRoutes, type Fields, oneOf, optionalText, optionalTexts, present } from "./fields.js";
import type { Server } from "../../server/server.js";
import type { AgentTokenOptions, ServiceTokenOptions, UserTokenOptions } from "../../control/token-mint.js";

const kinds = ["user", "other-user", "service", "agent", "expired", "without-scope"] as const;

type Options = UserTokenOptions & ServiceTokenOptions & AgentTokenOptions;

/** The options of a token, of which the mint takes those that its kind has. */
const readOptions = (fields: Fields): Partial<Options> =>
  present<Options>({
    userId: optionalText(fields, "userId"),
    workspaceId: optionalText(fields, "workspaceId"),
    integrationId: optionalText(fields, "integrationId"),
    serviceTokenId: optionalText(fields, "serviceTokenId"),
    agentId: optionalText(fields, "agentId"),
    sponsorId: optionalText(fields, "sponsorId"),
    expiresAt: optionalText(fields, "expiresAt"),
    notBefore: optionalText(fields, "notBefore"),
    scopes: optionalTexts(fields, "scopes"),
  });

const sign = (engine: Server, fields: Fields): Promise<string> => {
  const options = readOptions(fields);
  switch (oneOf(fields, "kind", kinds)) {
    case "user":
      return engine.tokens.user(options);
    case "other-user":
      return engine.tokens.otherUser(options);
    case "service":
      return engine.tokens.service(options);
    case "agent":
      return engine.tokens.agent(options);
    case "expired":
      return engine.tokens.expired();
    case "without-scope":
      return engine.tokens.withoutScope();
  }
};

export const tokenRoutes: ControlRoutes = {
  "POST /tenants": async (engine, _path, fields) => {
    const { workspace, user, tokens } = await engine.createTenant(optionalText(fields, "name"));
    return { workspace, user, token: await tokens.user(), serviceToken: await tokens.service() };
  },
  "POST /tokens": async (engine, _path, fields) => ({ token: await sign(engine, fields) }),
};
