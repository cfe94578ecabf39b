import type { EngineRequest, PipelineOutcome } from "../values/message.js";
import type { LimitSettings, Settings } from "../values/settings.js";
import type { Transactions } from "./transactions.js";

/** Names of the authorization server's endpoints. */
export const oauthEndpoints = ["authorize", "token", "revoke", "metadata", "jwks"] as const;

/** Name of an endpoint of the authorization server, as faults and the request log have it. */
export type OAuthEndpoint = (typeof oauthEndpoints)[number];

/** The context of an endpoint, which reads and changes rows in transactions. */
export interface EndpointContext extends Transactions {
  readonly settings: Settings;
}

/** Serves requests at a path outside the API: the authorization server, the approval page, uploads. */
export interface Endpoint {
  /** Name in the request log and for faults; null for an endpoint without a name. */
  readonly id: `oauth.${OAuthEndpoint}` | null;
  /** Path in the request log, instead of one that contains a secret. */
  readonly loggedPath?: string;
  /** Whether the bytes of a request body are only counted. */
  readonly discardsBody: boolean;
  /** Returns how many bytes of a request body are read; 0 when the body is ignored. */
  bodyLimit(method: string, limits: LimitSettings): number;
  /**
   * @param search the query without its `?`.
   * @throws RequestError
   */
  respond(
    endpointContext: EndpointContext,
    request: EngineRequest,
    search: string,
  ): PipelineOutcome | Promise<PipelineOutcome>;
}

/** Returns the endpoint for a method and path (without query); undefined when there is none. */
export type FindEndpoint = (method: string, path: string) => Endpoint | undefined;
