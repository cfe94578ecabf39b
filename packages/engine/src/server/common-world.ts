import { approvalPages } from "../oauth/approval-endpoint.js";
import type { SignInGate } from "../oauth/sign-in-gate.js";
import { findContract } from "../request/contract-endpoint.js";
import { findUpload, uploadPath } from "../rules/deployments/uploads.js";
import type { Settings } from "../values/settings.js";
import type { DatabaseEngine } from "../world/database-engine.js";
import type { DatabaseWork } from "../world/database-work.js";
import type { ServerWorld } from "../world/server-world.js";
import type { World } from "../world/world.js";
import type { KeyedParts } from "./server-state.js";

/** What the worlds of a server have in common, wherever its rows are. */
export interface WorldParts {
  readonly settings: Settings;
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
  /** Undefined when browsers need no key to sign in. */
  readonly gate: SignInGate | undefined;
}

/** Returns the part of a server's world that does not depend on where its rows are. */
export const commonWorld = (
  { settings, databaseEngine, databaseWork, gate }: WorldParts,
  { tokens, endpoints }: Pick<KeyedParts, "tokens" | "endpoints">,
): Pick<
  ServerWorld,
  "settings" | "databaseEngine" | "databaseWork" | "authenticator" | "services" | "findEndpoint"
> => {
  const findApprovalPage = approvalPages(gate);
  return {
    settings,
    databaseEngine,
    databaseWork,
    authenticator: tokens,
    services: { databases: databaseEngine, signer: tokens },
    findEndpoint: (method, path) =>
      endpoints.get(path) ?? findUpload(method, path) ?? findApprovalPage(method, path) ?? findContract(path),
  };
};

/** Returns the addresses that rules write into responses. */
export const addressesOf = ({ baseUrl }: Settings): Pick<World, "url" | "uploadUrl"> => ({
  url: (collection, id) => `${baseUrl}/v1/${collection}/${id}`,
  uploadUrl: (deploymentId, key) => baseUrl + uploadPath(deploymentId, key),
});
