import type { ControlledWorld } from "../control/controlled-world.js";
import { approvalPages } from "../oauth/approval-endpoint.js";
import type { SignInGate } from "../oauth/sign-in-gate.js";
import { findContract } from "../request/contract-endpoint.js";
import type { DatabaseEngine } from "../request/database-engine.js";
import type { DatabaseWork } from "../request/database-work.js";
import { StateChangedError } from "../request/state-changed-error.js";
import type { Transactions } from "../request/transactions.js";
import type { Settings } from "../request/settings.js";
import { findUpload } from "../rules/deployments/uploads.js";
import type { JobRunner } from "../time/job-runner.js";
import type { StoredServer } from "./stored-server.js";

export interface StoredWorldParts {
  readonly server: StoredServer;
  readonly settings: Settings;
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
  readonly gate: SignInGate | undefined;
  readonly runner: () => JobRunner;
}

/**
 * Returns the world for one request. Its first transaction throws a `StateChangedError` if the keys, the clock, the rate limit
 * or the faults have changed since; the later ones run in the changed state, because the request may have changed rows.
 */
export const requestWorld = (parts: StoredWorldParts): ControlledWorld => {
  const { server } = parts;
  const { state } = server;
  let isFirst = true;
  return worldWith(parts, async (access, step, wants) => {
    try {
      const ran = await server.run(access, ({ world }) => step(world), {
        wants,
        ...(isFirst && { expected: state }),
      });
      isFirst = false;
      return ran;
    } catch (error) {
      isFirst &&= error instanceof StateChangedError;
      throw error;
    }
  });
};

/** Returns the world for jobs and the control surface, whose transactions run in any state of the server. */
export const lastingWorld = (parts: StoredWorldParts): ControlledWorld =>
  worldWith(parts, (access, step, wants) => parts.server.run(access, ({ world }) => step(world), { wants }));

const worldWith = (
  { server, settings, databaseEngine, databaseWork, gate, runner }: StoredWorldParts,
  transact: Transactions["transact"],
): ControlledWorld => {
  const { state } = server;
  const { tokens, endpoints, clock } = state;
  const findApprovalPage = approvalPages(gate);
  return {
    settings,
    clock,
    databaseEngine,
    databaseWork,
    authenticator: tokens,
    services: { databases: databaseEngine, signer: tokens },
    findEndpoint: (method, path) =>
      endpoints.get(path) ?? findUpload(method, path) ?? findApprovalPage(method, path) ?? findContract(path),
    transact,
    attempt: (job) => runner().attempt(job),
    finishJobs: (subject) => runner().finish(subject),
    epoch: state.row.epoch,
    countWants: (operation, principal) => server.countWants(operation, principal),
    // The rows are stored when their transaction ends.
    saved: () => undefined,
  };
};
