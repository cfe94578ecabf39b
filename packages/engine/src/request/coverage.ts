/** Called with each (operation, status, code) of a response; `code` is null for a success. */
export type CoverageRecorder = (operationId: string, status: number, code: string | null) => void;

/**
 * Appends a line `operation status code`, with `-` for no code, for each combination that is new in this process. Each
 * line is written with one append, so parallel processes can share the file.
 */
export const createFileRecorder = (file: string): CoverageRecorder => {
  const recordedLines = new Set<string>();
  // Only this function, which Node.js alone runs, needs files.
  const { appendFileSync } = process.getBuiltinModule("node:fs");
  return (operationId, status, code) => {
    const line = `${operationId} ${String(status)} ${code ?? "-"}\n`;
    if (recordedLines.has(line)) return;
    recordedLines.add(line);
    appendFileSync(file, line);
  };
};

/** Returns the recorder for the file in `MGMT_COVERAGE_FILE`; undefined when the variable is not set, and where there is no environment. */
export const createEnvironmentRecorder = (): CoverageRecorder | undefined => {
  if (!("process" in globalThis)) return undefined;
  const file = process.env?.["MGMT_COVERAGE_FILE"];
  return file === undefined || file === "" ? undefined : createFileRecorder(file);
};
