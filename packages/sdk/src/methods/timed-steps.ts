import { ensureNamed } from "../ensure/ensure-named.js";
import type { Waiting } from "../request/context.js";
import {
  waitForApproval,
  waitForDatabase,
  waitForDeployment,
  waitForPromotion,
  waitForStop,
  waitForTransfer,
} from "../wait/waiters.js";

/** The steps of resources that take time, by the timers and signals of a client. */
export const timedSteps = (waiting: Waiting) => {
  const timed =
    <Args extends unknown[], Result>(step: (...args: [...Args, Waiting]) => Result) =>
    (...args: Args): Result =>
      step(...args, waiting);
  return {
    ensureNamed: timed(ensureNamed),
    waitForApproval: timed(waitForApproval),
    waitForDatabase: timed(waitForDatabase),
    waitForDeployment: timed(waitForDeployment),
    waitForPromotion: timed(waitForPromotion),
    waitForStop: timed(waitForStop),
    waitForTransfer: timed(waitForTransfer),
  };
};

export type TimedSteps = ReturnType<typeof timedSteps>;
