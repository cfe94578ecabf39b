import { type SignIn, createOpenSignIn } from "../oauth/sign-in.js";
import { findContractEndpoint } from "../request/contract-endpoint.js";
import { countAndEnforceRateLimit, createCountPreload } from "../request/rate-limit.js";
import { findUploadEndpoint, buildUploadPath } from "../rules/deployments/uploads.js";
import type { Clock } from "../values/clock.js";
import { mergeSettings } from "../values/merge-settings.js";
import type { Settings } from "../values/settings.js";
import type { DatabaseEngine } from "../context/database-engine.js";
import type { DatabaseWork } from "../context/database-work.js";
import { createMemoryDatabaseEngine } from "../context/memory-database-engine.js";
import type { ServerTables } from "../context/server-rows.js";
import type { RequestContext } from "../context/request-context.js";
import type { OperationContext } from "../context/operation-context.js";
import type { EngineOptions } from "./engine-options.js";
import type { KeyedParts, ServerState } from "./server-state.js";

/** The parts that all contexts of a server share, wherever its rows are. */
export interface SharedServices {
  readonly settings: Settings;
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
  readonly signIn: SignIn;
}

/** @throws TypeError for a setting that is not valid. */
export const createSharedServices = (
  options: EngineOptions & { readonly signIn?: SignIn | undefined },
  databaseWork: DatabaseWork,
): SharedServices => {
  const settings = mergeSettings(options.settings);
  const { databaseEngine = createMemoryDatabaseEngine("mgmt.test"), signInKey } = options;
  const { signIn = createOpenSignIn(signInKey, settings.authUrl) } = options;
  return { settings, databaseEngine, databaseWork, signIn };
};

/** Returns the part of a server's context that does not depend on where its rows are. */
export const createCommonContext = (
  { settings, databaseEngine, databaseWork, signIn }: SharedServices,
  { accessTokenService, endpoints }: Pick<KeyedParts, "accessTokenService" | "endpoints">,
): Pick<
  RequestContext,
  "settings" | "databaseEngine" | "databaseWork" | "authenticator" | "services" | "findEndpoint"
> => ({
  settings,
  databaseEngine,
  databaseWork,
  authenticator: accessTokenService,
  services: { databases: databaseEngine, signer: accessTokenService },
  findEndpoint: (method, path) =>
    endpoints.get(path) ??
    findUploadEndpoint(method, path) ??
    signIn.findApprovalPage(method, path) ??
    findContractEndpoint(path),
});

/** Returns the function that counts requests for the rate limit of a server. */
export const createRequestCounter =
  (
    getServerState: () => ServerState,
    clock: Clock,
    tables: Pick<ServerTables, "countInRateWindow">,
  ): OperationContext["countRequest"] =>
  (operation, principal) => {
    const { rateLimit, row } = getServerState();
    return countAndEnforceRateLimit(rateLimit, operation, (limit) => {
      const now = clock.now();
      return {
        window: tables.countInRateWindow(createCountPreload(limit, row.rateEpoch, principal, now)),
        now,
      };
    });
  };

/** Returns the addresses that rules write into responses. */
export const createAddressBuilders = ({
  baseUrl,
}: Settings): Pick<OperationContext, "buildUrl" | "buildUploadUrl"> => ({
  buildUrl: (collection, id) => `${baseUrl}/v1/${collection}/${id}`,
  buildUploadUrl: (deploymentId, key) => baseUrl + buildUploadPath(deploymentId, key),
});
