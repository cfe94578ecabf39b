import type { ServiceTokenRow, UserRow, WorkspaceRow } from "../store/rows.js";
import type { DefaultRows } from "./default-rows.js";
import type { Seeder } from "./seeder.js";
import type { TokenMint } from "./token-mint.js";

/** The rows of a tenant. */
export type TenantRows = Pick<DefaultRows, "workspace" | "user" | "serviceToken">;

/** A workspace with its own user and service token, which no credential of another workspace can reach. */
export class Tenant {
  /** Signs tokens of this tenant's user, service token, and agent. */
  readonly tokens: TokenMint;
  /** Creates resources in this tenant's workspace. */
  readonly seed: Seeder;
  readonly #defaults: TenantRows;

  constructor({ defaults, tokens, seed }: { defaults: TenantRows; tokens: TokenMint; seed: Seeder }) {
    this.#defaults = defaults;
    this.tokens = tokens;
    this.seed = seed;
  }

  /** The workspace of the tenant. */
  get workspace(): WorkspaceRow {
    return this.#defaults.workspace;
  }

  /** The owner of the workspace. */
  get user(): UserRow {
    return this.#defaults.user;
  }

  /** The service token of the workspace. */
  get serviceToken(): ServiceTokenRow {
    return this.#defaults.serviceToken;
  }
}
