import type { MeUser, ServiceToken, Workspace } from "../generated/schemas.js";
import type { Defaults } from "./defaults.js";
import type { Seeder } from "./seeder.js";
import type { TokenMint } from "./token-mint.js";

/** The resources that a tenant starts with. */
export type TenantDefaults = Pick<Defaults, "workspace" | "user" | "serviceToken">;

/** A workspace with its own user and service token, which no credential of another workspace can reach. */
export class Tenant {
  /** Signs tokens of this tenant's user, service token, and agent. */
  readonly tokens: TokenMint;
  /** Creates resources in this tenant's workspace. */
  readonly seed: Seeder;
  readonly #defaults: TenantDefaults;

  /** @internal */
  constructor({ defaults, tokens, seed }: { defaults: TenantDefaults; tokens: TokenMint; seed: Seeder }) {
    this.#defaults = defaults;
    this.tokens = tokens;
    this.seed = seed;
  }

  /** The workspace of the tenant. */
  get workspace(): Workspace {
    return this.#defaults.workspace;
  }

  /** The owner of the workspace. */
  get user(): MeUser {
    return this.#defaults.user;
  }

  /** The service token of the workspace. */
  get serviceToken(): ServiceToken {
    return this.#defaults.serviceToken;
  }
}
