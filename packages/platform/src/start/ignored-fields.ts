import type { LoggedRequest } from "@mgmt/engine";

/** Maximum number of fields to report, in case a client sends arbitrary names. */
const maxReportedFields = 1_000;

/** Returns a listener for the request log that reports each ignored field of an operation once. */
export const createIgnoredFieldReporter = (
  onLog: (line: string) => void,
): ((request: LoggedRequest) => void) => {
  const reportedLines = new Set<string>();
  return ({ operationId, ignoredFields }) => {
    for (const field of ignoredFields) {
      const line = `Ignored ${field} in the body of ${operationId ?? ""}: the contract does not have this field`;
      if (reportedLines.has(line) || reportedLines.size >= maxReportedFields) continue;
      reportedLines.add(line);
      onLog(line);
    }
  };
};
