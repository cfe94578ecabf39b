import type { Approval, Database, DeploymentDetails } from "../generated/types.js";
import { type Advice, MgmtError } from "./mgmt-error.js";

/** What can be waited for. */
export type AwaitedResource = Approval | Database | DeploymentDetails;

/** Kinds of resources that can be waited for. */
export type AwaitedKind = "approval" | "database" | "deployment";

/** What a `WaitError` is made of. */
export interface WaitErrorInit extends ErrorOptions {
  message: string;
  hint: string;
  advice?: Advice | undefined;
  /** Kind of resource that was waited for. */
  resource: AwaitedKind;
  /** Id of what was waited for. */
  id: string;
  /** What was waited for, as it was last seen. */
  last: AwaitedResource | undefined;
}

/** What was waited for did not come: too late, or never any more. */
export class WaitError extends MgmtError {
  static override readonly kind: string = "WaitError";
  /** Kind of resource that was waited for. */
  readonly resource: AwaitedKind;
  /** Id of what was waited for. */
  readonly id: string;
  /** Its status when it was last seen; absent when it never was. */
  declare readonly lastStatus?: string;
  // A database has passwords in it, which no print of the error may show: hence a method, and no field or getter.
  readonly #last: AwaitedResource | undefined;

  constructor(code: string, { message, hint, advice, cause, resource, id, last }: WaitErrorInit) {
    super(code, message, { hint, advice, cause });
    this.resource = resource;
    this.id = id;
    if (last !== undefined) this.lastStatus = last.status;
    this.#last = last;
  }

  /** What was waited for, as it was last seen; undefined when it never was. */
  lastSeen(): AwaitedResource | undefined {
    return this.#last;
  }
}

/**
 * `wait:timeout`: the deadline passed, and what was waited for may still come. When the last looks failed, the `cause` is
 * why.
 */
export class WaitTimeoutError extends WaitError {
  static override readonly kind: string = "WaitTimeoutError";
  declare readonly code: "wait:timeout";
  /** Milliseconds that the wait had. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, init: WaitErrorInit) {
    super("wait:timeout", init);
    this.timeoutMs = timeoutMs;
  }
}

/** Why what was waited for will not come. */
export type WaitFailedCode =
  | "approval:denied"
  | "approval:expired"
  | "approval:consumed"
  | "database:failed"
  | "deployment:failed"
  | "deployment:stopped";

/** What was waited for came to another end; `code` says to which. */
export class WaitFailedError extends WaitError {
  static override readonly kind: string = "WaitFailedError";
  declare readonly code: WaitFailedCode;

  constructor(code: WaitFailedCode, init: WaitErrorInit) {
    super(code, init);
  }
}
