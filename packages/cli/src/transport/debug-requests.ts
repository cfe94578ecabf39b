import type { Output } from "../output/output.js";
import type { Transport } from "../sdk/sdk.js";

/** Wraps a transport: with `--debug`, each request and its response are printed on standard error, without secrets. */
export const addDebugNotices = (transport: Transport, output: Output): Transport => {
  if (!output.isDebugging) return transport;
  return {
    async send(request) {
      const { describeFailure, describeRequest, describeResponse } = await import("./describe-request.js");
      const start = performance.now();
      const getElapsedMs = (): number => Math.round(performance.now() - start);
      output.notice(describeRequest(request));
      try {
        const response = await transport.send(request);
        output.notice(describeResponse(response, getElapsedMs()));
        return response;
      } catch (error) {
        output.notice(describeFailure(error, getElapsedMs()));
        throw error;
      }
    },
  };
};
