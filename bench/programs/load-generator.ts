import autocannon from "autocannon";
import { type LoadGenerator, serveCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";

serveCalls<LoadGenerator>({
  fire: async ({ url, method = "GET", headers, sent, connections, seconds, body }) => {
    const started = performance.now();
    const result = await autocannon({
      url,
      method,
      headers,
      ...(sent !== undefined && { body: sent }),
      connections,
      duration: seconds,
      sampleInt: 100,
      maxOverallRequests: 1_000_000,
      ...(body !== undefined && { expectBody: body }),
    });
    return {
      requests: result.requests.total,
      seconds: (performance.now() - started) / 1000,
      good: result["2xx"] - result.mismatches,
      bad: result.non2xx + result.errors + result.timeouts + result.mismatches,
    };
  },
  processorTime,
});
