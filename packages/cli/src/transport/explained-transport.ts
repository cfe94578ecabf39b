import { CliError } from "../errors/cli-error.js";
import { describeNetworkProblem } from "../errors/network-problem.js";
import type { Transport } from "../sdk/sdk.js";

/** A transport whose last failure can be explained. Errors of a login do not have the failure of a request as their cause. */
export interface ExplainedTransport extends Transport {
  /** Returns the error about a problem of the network if the last request failed because of it, else undefined. */
  explain(): CliError | undefined;
}

/** Wraps a transport so that it records its last failure. */
export const createExplainedTransport = (transport: Transport): ExplainedTransport => {
  let lastFailure: { error: unknown; host: string } | undefined;
  return {
    async send(request) {
      lastFailure = undefined;
      try {
        return await transport.send(request);
      } catch (error) {
        lastFailure = { error, host: new URL(request.url).hostname };
        throw error;
      }
    },
    explain() {
      const problem = lastFailure && describeNetworkProblem(lastFailure.error, lastFailure.host);
      return problem && new CliError("network", problem.code, problem.message, problem.hint);
    },
  };
};
