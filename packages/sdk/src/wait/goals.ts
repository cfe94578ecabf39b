import type { Advice } from "../errors/mgmt-error.js";
import type { AwaitedKind, AwaitedResource, WaitFailedCode } from "../errors/wait-errors.js";
import type { Approval, Database, DeploymentDetails } from "../generated/types.js";

/** An end that is not the wanted one. */
export interface Failure {
  code: WaitFailedCode;
  /** Stands behind the name of what was waited for. */
  problem: string;
  hint: string;
  advice?: Advice;
}

/** What a wait is for. The contract's statuses are all there; one that it does not have yet is no end. */
export interface Goal<T extends AwaitedResource> {
  resource: AwaitedKind;
  noun: string;
  outcomes: Readonly<Record<T["status"], "reached" | "ahead" | Failure>>;
  /** Default of the wait's deadline. */
  timeoutMs: number;
  /** What to do when the deadline has passed. */
  late: { hint: string; advice: Advice };
}

const minute = 60_000;

/** § Agents and approvals: left alone, an approval expires after 15 minutes, so that the wait ends by that first. */
export const approvalGiven: Goal<Approval> = {
  resource: "approval",
  noun: "Approval",
  outcomes: {
    pending: "ahead",
    approved: "reached",
    approved_window: "reached",
    denied: {
      code: "approval:denied",
      problem: "was denied by the sponsor",
      hint: "Ask the sponsor before sending the request again.",
    },
    expired: {
      code: "approval:expired",
      problem: "expired",
      hint: "Send the request again to ask for a new approval.",
    },
    consumed: {
      code: "approval:consumed",
      problem: "has been used up: the request that it was for has run",
      hint: "A further request needs an approval of its own.",
    },
  },
  timeoutMs: 20 * minute,
  late: {
    hint: "The sponsor may still decide: wait for it again, and then send the same request again.",
    advice: "wait_and_resend",
  },
};

/** § Database life cycle. */
export const databaseReady: Goal<Database> = {
  resource: "database",
  noun: "Database",
  outcomes: {
    provisioning: "ahead",
    recovering: "ahead",
    ready: "reached",
    failure: {
      code: "database:failed",
      problem: "has failed",
      hint: "Restore it from a backup, or delete it and create another.",
    },
  },
  timeoutMs: 10 * minute,
  late: {
    hint: "It may still become ready: wait for it again, or raise timeoutMs.",
    advice: "wait_longer",
  },
};

const stopped: Failure = {
  code: "deployment:stopped",
  problem: "was stopped",
  hint: "Start it again with deployments.start, then wait.",
  advice: "start_deployment",
};

/** A deployment that is not started yet may be started by somebody else; one that is stopped has had its time. */
export const deploymentRunning: Goal<DeploymentDetails> = {
  resource: "deployment",
  noun: "Deployment",
  outcomes: {
    created: "ahead",
    uploaded: "ahead",
    provisioning: "ahead",
    running: "reached",
    failed: {
      code: "deployment:failed",
      problem: "has failed",
      hint: "Mend what it runs, and start it again or create another.",
    },
    stopping: stopped,
    stopped,
  },
  timeoutMs: 10 * minute,
  late: { hint: "It may still come up: wait for it again, or raise timeoutMs.", advice: "wait_longer" },
};
