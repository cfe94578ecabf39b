import type { TokenSigner } from "./access-token.js";
import type { DatabaseEngine } from "./database-engine.js";

/** Services that are asynchronous. The checks and effects of operations are synchronous and cannot use them. */
export interface Services {
  readonly databases: DatabaseEngine;
  readonly signer: TokenSigner;
}
