import { type TokenRequest, buildServiceTokenRequest, buildTokenClaims } from "../context/access-token.js";
import { toCanonicalId } from "../values/ids.js";
import { assertKnownOptions } from "../values/known-options.js";
import type { OperationContext } from "../context/operation-context.js";
import type { RequestContext } from "../context/request-context.js";
import { type Time, parseTimestamp } from "./clock-control.js";
import * as controlErrors from "./control-errors.js";
import { DefaultRows, requireUserWorkspace } from "./default-rows.js";
import { writeWithoutLocks } from "../store/storage-adapter.js";

/** Options that all kinds of token have. */
export interface TokenOptions {
  /** Default: `["workspace:admin"]`. */
  scopes?: readonly string[] | undefined;
  /** Default: an hour from now; for a service token, never. */
  expiresAt?: Time | null | undefined;
  /** Default: now. */
  notBefore?: Time | undefined;
}

/** Which user a token is for, and what it allows. */
export interface UserTokenOptions extends TokenOptions {
  /** Default: the first user. */
  userId?: string | undefined;
  /** Default: the first workspace that the user is a member of. */
  workspaceId?: string | undefined;
  /** The integration that the token was issued for. Deleting it revokes the token. Default: none. */
  integrationId?: string | undefined;
}

/** Which service token an access token belongs to. */
export interface ServiceTokenOptions extends TokenOptions {
  /** Default: the service token that a new server starts with. */
  serviceTokenId?: string | undefined;
}

/** Which agent a token is for, and who sponsors it. */
export interface AgentTokenOptions extends TokenOptions {
  /** Default: the first user's agent. */
  agentId?: string | undefined;
  /** The user who decides approvals for the agent. Default: the first user. */
  sponsorId?: string | undefined;
}

const commonTokenOptionNames: readonly (keyof TokenOptions)[] = ["scopes", "expiresAt", "notBefore"];

const hourMs = 3_600_000;

/** Signs access tokens for tests. Each call signs a new token with the time of the server's clock. */
export class TokenMint {
  /**
   * @param homeWorkspaceId id of the workspace whose credentials are the defaults. Default: the first one.
   * @internal
   */
  constructor(
    private readonly getRequestContext: () => RequestContext,
    private readonly homeWorkspaceId?: string,
  ) {}

  /** Returns a token of the first user, who owns the first workspace. */
  user(options: UserTokenOptions = {}): Promise<string> {
    return this.#sign((context) => {
      assertKnownOptions(options, [...commonTokenOptionNames, "userId", "workspaceId", "integrationId"]);
      return this.#buildUserTokenRequest(context, options);
    });
  }

  /** Returns a token of the other user, who owns the other workspace. */
  otherUser(options: Omit<UserTokenOptions, "userId"> = {}): Promise<string> {
    return this.#sign((context) =>
      this.#buildUserTokenRequest(context, {
        ...options,
        userId: this.#createDefaultRows(context).otherUser.id,
      }),
    );
  }

  /** Returns the value of a service token, which never expires by default. */
  service(options: ServiceTokenOptions = {}): Promise<string> {
    return this.#sign((context) => {
      assertKnownOptions(options, [...commonTokenOptionNames, "serviceTokenId"]);
      const id = options.serviceTokenId
        ? toCanonicalId("service_token", options.serviceTokenId)
        : this.#createDefaultRows(context).serviceToken.id;
      const row = context.store.serviceTokens.get(id);
      if (!row) throw controlErrors.notFound("service token", id);
      return { ...buildServiceTokenRequest(row), ...this.#parseCommonOptions(options) };
    });
  }

  /** Returns a token of an agent for the workspace of its sponsor. */
  agent(options: AgentTokenOptions = {}): Promise<string> {
    return this.#sign((context) => {
      assertKnownOptions(options, [...commonTokenOptionNames, "agentId", "sponsorId"]);
      const defaults = this.#createDefaultRows(context);
      const { agentId = defaults.agentId } = options;
      const sponsorId =
        options.sponsorId === undefined ? defaults.user.id : toCanonicalId("user", options.sponsorId);
      const workspace = context.store.workspaces.find({ memberIds: sponsorId });
      if (!workspace) throw controlErrors.notAMember(`The sponsor ${sponsorId}`);
      return {
        ...this.#parseCommonOptions(options),
        subject: agentId,
        claims: { act: "agent", sponsor: sponsorId, workspace_id: workspace.id },
      };
    });
  }

  /** Returns a token of the first user that expired an hour ago. */
  expired(): Promise<string> {
    return this.#sign((context) => {
      const now = context.clock.now();
      return this.#buildUserTokenRequest(context, { notBefore: now - 2 * hourMs, expiresAt: now - hourMs });
    });
  }

  /** Returns a token of the first user without the scope `workspace:admin`. */
  withoutScope(): Promise<string> {
    return this.user({ scopes: ["offline_access"] });
  }

  #buildUserTokenRequest(context: OperationContext, options: UserTokenOptions): TokenRequest {
    const { store } = context;
    const userId =
      options.userId === undefined
        ? this.#createDefaultRows(context).user.id
        : toCanonicalId("user", options.userId);
    const user = store.users.get(userId);
    if (!user) throw controlErrors.notFound("user", userId);
    const workspaceId = requireUserWorkspace(store, user, options.workspaceId).id;
    const integrationId = options.integrationId && toCanonicalId("integration", options.integrationId);
    const clientId = integrationId && store.integrations.get(integrationId)?.clientId;
    return {
      ...this.#parseCommonOptions(options),
      subject: userId,
      claims: { email: user.email, workspace_id: workspaceId },
      ...(integrationId && { integrationId }),
      ...(clientId && { clientId }),
    };
  }

  #createDefaultRows({ store }: OperationContext): DefaultRows {
    return new DefaultRows(() => store, this.homeWorkspaceId);
  }

  /** Signing draws the id of the token, which changes the state of a seeded generator. */
  async #sign(buildRequest: (context: OperationContext) => TokenRequest): Promise<string> {
    const requestContext = this.getRequestContext();
    const claims = await requestContext.transact(writeWithoutLocks, (context) =>
      buildTokenClaims(context, buildRequest(context)),
    );
    return requestContext.services.signer.sign(claims);
  }

  #parseCommonOptions({ scopes, expiresAt, notBefore }: TokenOptions): {
    scopes?: readonly string[];
    expiresAt?: number | null;
    notBefore?: number;
  } {
    return {
      ...(scopes && { scopes }),
      ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : parseTimestamp(expiresAt) }),
      ...(notBefore !== undefined && { notBefore: parseTimestamp(notBefore) }),
    };
  }
}
