import type { Advice } from "../errors/mgmt-error.js";
import type {
  AwaitedKind,
  AwaitedResource,
  PromotionState,
  TransferState,
  WaitFailedCode,
} from "../errors/wait-errors.js";
import type { Approval, Database, DeploymentDetails } from "../generated/types.js";

/** A final status other than the wanted one. */
export interface GoalFailure {
  code: WaitFailedCode;
  /** Predicate of the error message, whose subject is the resource. */
  problem: string;
  hint: string;
  advice?: Advice;
}

/** The goal of a wait. */
export interface WaitGoal<T extends AwaitedResource> {
  resource: AwaitedKind;
  /** Name of the resource in messages. */
  noun: string;
  /** The meaning of each status of the contract. The wait continues at a status that is unknown. */
  outcomes: Readonly<Record<T["status"], "reached" | "pending" | GoalFailure>>;
  /** Default timeout of the wait. */
  timeoutMs: number;
  /** The advice after a timeout. */
  timeoutAdvice: { hint: string; advice: Advice };
}

const minuteMs = 60_000;

/** An approval expires after 15 minutes (`Approval.expiresAt`), which ends the wait before its default timeout. */
export const approvalGrantedGoal: WaitGoal<Approval> = {
  resource: "approval",
  noun: "Approval",
  outcomes: {
    pending: "pending",
    approved: "reached",
    approved_window: "reached",
    denied: {
      code: "approval:denied",
      problem: "was denied by the sponsor",
      hint: "Talk to the sponsor before you send the request again.",
    },
    expired: {
      code: "approval:expired",
      problem: "expired",
      hint: "Send the request again to ask for a new approval.",
    },
    consumed: {
      code: "approval:consumed",
      problem: "was already used: the approved request has run",
      hint: "Send the request again to ask for a new approval.",
    },
  },
  timeoutMs: 20 * minuteMs,
  timeoutAdvice: {
    hint: "The sponsor can still decide: wait for the approval again, then send the same request again.",
    advice: "wait_and_resend",
  },
};

export const databaseReadyGoal: WaitGoal<Database> = {
  resource: "database",
  noun: "Database",
  outcomes: {
    provisioning: "pending",
    recovering: "pending",
    ready: "reached",
    failure: {
      code: "database:failed",
      problem: "has failed",
      hint: "Restore it from a backup, or delete it and create another one.",
    },
  },
  timeoutMs: 10 * minuteMs,
  timeoutAdvice: {
    hint: "Provisioning continues in the background: wait again, or with a larger timeoutMs.",
    advice: "wait_longer",
  },
};

const stoppedFailure: GoalFailure = {
  code: "deployment:stopped",
  problem: "was stopped",
  hint: "Start it with deployments.start, then wait again.",
  advice: "start_deployment",
};

/** A deployment that was never started is pending, since another program may start it. */
export const deploymentRunningGoal: WaitGoal<DeploymentDetails> = {
  resource: "deployment",
  noun: "Deployment",
  outcomes: {
    created: "pending",
    uploaded: "pending",
    provisioning: "pending",
    running: "reached",
    failed: {
      code: "deployment:failed",
      problem: "has failed",
      hint: "Fix what it runs, then start it again or create another deployment.",
    },
    stopping: stoppedFailure,
    stopped: stoppedFailure,
  },
  timeoutMs: 10 * minuteMs,
  timeoutAdvice: {
    hint: "The deployment can still start: wait again, or with a larger timeoutMs.",
    advice: "wait_longer",
  },
};

/** A deployment that runs is pending, since another program may stop it. */
export const deploymentStoppedGoal: WaitGoal<DeploymentDetails> = {
  resource: "deployment",
  noun: "Deployment",
  outcomes: {
    created: "reached",
    uploaded: "reached",
    provisioning: "pending",
    running: "pending",
    failed: "reached",
    stopping: "pending",
    stopped: "reached",
  },
  timeoutMs: 10 * minuteMs,
  timeoutAdvice: {
    hint: "The deployment is still stopping: wait again, or with a larger timeoutMs.",
    advice: "wait_longer",
  },
};

export const deploymentPromotedGoal: WaitGoal<PromotionState> = {
  resource: "service",
  noun: "The promotion of service",
  outcomes: { pending: "pending", promoted: "reached" },
  timeoutMs: 10 * minuteMs,
  timeoutAdvice: {
    hint: "The promotion continues in the background: wait again, or with a larger timeoutMs.",
    advice: "wait_longer",
  },
};

export const projectTransferredGoal: WaitGoal<TransferState> = {
  resource: "project",
  noun: "The transfer of project",
  outcomes: { pending: "pending", transferred: "reached" },
  timeoutMs: 10 * minuteMs,
  timeoutAdvice: {
    hint: "The transfer continues in the background: wait again, or with a larger timeoutMs.",
    advice: "wait_longer",
  },
};
