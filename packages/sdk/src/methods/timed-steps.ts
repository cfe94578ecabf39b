import { connect } from "../connect/connect.js";
import { ensureNamed } from "../ensure/ensure-named.js";
import type { WaitContext } from "../request/context.js";
import {
  waitForApproval,
  waitForDatabase,
  waitForDeployment,
  waitForPromotion,
  waitForStop,
  waitForTransfer,
} from "../wait/waiters.js";

/**
 * Returns the steps of resources that take time.
 *
 * @param waitContext the timers and signals of the client.
 */
export const createTimedSteps = (waitContext: WaitContext) => {
  const withWaiting =
    <Args extends unknown[], Result>(step: (...args: [...Args, WaitContext]) => Result) =>
    (...args: Args): Result =>
      step(...args, waitContext);
  return {
    connect: withWaiting(connect),
    ensureNamed: withWaiting(ensureNamed),
    waitForApproval: withWaiting(waitForApproval),
    waitForDatabase: withWaiting(waitForDatabase),
    waitForDeployment: withWaiting(waitForDeployment),
    waitForPromotion: withWaiting(waitForPromotion),
    waitForStop: withWaiting(waitForStop),
    waitForTransfer: withWaiting(waitForTransfer),
  };
};

/** The steps of resources that take time: waits and `ensure`. */
export type TimedSteps = ReturnType<typeof createTimedSteps>;
