import type { ServiceTokenRow, UserRow, WorkspaceRow } from "../store/rows.js";
import type { Residents } from "./residents.js";
import type { Seeder } from "./seeder.js";
import type { TokenMint } from "./token-mint.js";

/** The rows of a tenant. */
type TenantRows = Pick<Residents, "workspace" | "user" | "serviceToken">;

/** A workspace with its own user and service token, which no credential of another workspace can reach. */
export class Tenant {
  /** Signs tokens of this tenant's user, service token, and agent. */
  readonly tokens: TokenMint;
  /** Creates resources in this tenant's workspace. */
  readonly seed: Seeder;
  readonly #residents: TenantRows;

  constructor({ residents, tokens, seed }: { residents: TenantRows; tokens: TokenMint; seed: Seeder }) {
    this.#residents = residents;
    this.tokens = tokens;
    this.seed = seed;
  }

  /** The workspace of the tenant. */
  get workspace(): WorkspaceRow {
    return this.#residents.workspace;
  }

  /** The owner of the workspace. */
  get user(): UserRow {
    return this.#residents.user;
  }

  /** The service token of the workspace. */
  get serviceToken(): ServiceTokenRow {
    return this.#residents.serviceToken;
  }
}
