import type { SerializationContext } from "../context/row-json-cache.js";
import type { OperationContext } from "../context/operation-context.js";
import type { MeUser, ServiceToken, Workspace } from "../generated/schemas.js";
import { serializeServiceToken } from "../rules/workspaces/service-tokens.js";
import { serializeWorkspace } from "../rules/workspaces/workspaces.js";
import { DefaultRows } from "./default-rows.js";
import { serializeUser } from "./serialize-resources.js";

/**
 * A workspace, its owner, and a service token, with another workspace that their credentials cannot reach. A new server starts with
 * these resources, and each tenant has its own. Each getter throws a `ControlError` when its resource was deleted.
 */
export class Defaults {
  readonly #context: () => SerializationContext;
  readonly #rows: DefaultRows;

  /**
   * @param homeWorkspaceId id of the workspace. Default: the first one.
   * @internal
   */
  constructor(context: () => Pick<OperationContext, keyof SerializationContext>, homeWorkspaceId?: string) {
    this.#context = context;
    this.#rows = new DefaultRows(() => context().store, homeWorkspaceId);
  }

  /** The workspace that credentials belong to by default. */
  get workspace(): Workspace {
    return serializeWorkspace(this.#context(), this.#rows.workspace);
  }

  /** The owner of the workspace. */
  get user(): MeUser {
    return serializeUser(this.#rows.user);
  }

  /** A service token of the workspace. */
  get serviceToken(): ServiceToken {
    return serializeServiceToken(this.#rows.serviceToken);
  }

  /** A workspace that credentials of the workspace cannot reach. */
  get otherWorkspace(): Workspace {
    return serializeWorkspace(this.#context(), this.#rows.otherWorkspace);
  }

  /** The owner of the other workspace. */
  get otherUser(): MeUser {
    return serializeUser(this.#rows.otherUser);
  }

  /** Id of an agent of the owner: the `sub` of its tokens. */
  get agentId(): string {
    return this.#rows.agentId;
  }
}
