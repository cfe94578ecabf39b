import type { App, Approval, Database, DeploymentDetails, Project } from "../generated/types.js";
import { type Advice, MgmtError } from "./mgmt-error.js";

/** A service, and whether its domain points to the deployment that is waited for. */
export interface PromotionState {
  status: "pending" | "promoted";
  service: App;
}

/** A project that is transferred. The recipient can read it once it has arrived. */
export type TransferState = { status: "pending" } | { status: "transferred"; project: Project };

/** Resources that can be waited for. */
export type AwaitedResource = Approval | Database | DeploymentDetails | PromotionState | TransferState;

/** Kinds of resources that can be waited for. */
export type AwaitedKind = "approval" | "database" | "deployment" | "service" | "project";

/** Constructor argument of `WaitError`. */
export interface WaitErrorInit extends ErrorOptions {
  message: string;
  hint: string;
  advice?: Advice | undefined;
  /** Kind of the resource. */
  resource: AwaitedKind;
  /** ID of the resource. */
  id: string;
  /** The resource as it was last read. */
  last: AwaitedResource | undefined;
}

/** A resource did not reach the wanted status: not in time, or not at all. */
export class WaitError extends MgmtError {
  static override readonly kind: string = "WaitError";
  /** Kind of the resource. */
  readonly resource: AwaitedKind;
  /** ID of the resource. */
  readonly id: string;
  /** Its status when it was last read; absent when it was never read. */
  declare readonly lastStatus?: string;
  // A method reads it, since a database holds passwords that printing the error must not show.
  readonly #last: AwaitedResource | undefined;

  constructor(code: string, { message, hint, advice, cause, resource, id, last }: WaitErrorInit) {
    super(code, message, { hint, advice, cause });
    this.resource = resource;
    this.id = id;
    if (last !== undefined) this.lastStatus = last.status;
    this.#last = last;
  }

  /** Returns the resource as it was last read; undefined when it was never read. */
  lastSeen(): AwaitedResource | undefined {
    return this.#last;
  }
}

/**
 * `wait:timeout`: the deadline passed, and the resource may still reach the status. When the last polls failed, the `cause`
 * explains why.
 */
export class WaitTimeoutError extends WaitError {
  static override readonly kind: string = "WaitTimeoutError";
  declare readonly code: "wait:timeout";
  /** The wait's timeout in milliseconds. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, init: WaitErrorInit) {
    super("wait:timeout", init);
    this.timeoutMs = timeoutMs;
  }
}

/** Why a resource will not reach the wanted status. */
export type WaitFailedCode =
  | "approval:denied"
  | "approval:expired"
  | "approval:consumed"
  | "database:failed"
  | "deployment:failed"
  | "deployment:stopped";

/** The resource reached another final status; `code` identifies it. */
export class WaitFailedError extends WaitError {
  static override readonly kind: string = "WaitFailedError";
  declare readonly code: WaitFailedCode;

  constructor(code: WaitFailedCode, init: WaitErrorInit) {
    super(code, init);
  }
}

/** How a call ends that waits for its approval, if that is not given. */
export type ApprovalWaitError =
  | WaitTimeoutError
  | (WaitFailedError & { readonly code: `approval:${string}` & WaitFailedCode });
