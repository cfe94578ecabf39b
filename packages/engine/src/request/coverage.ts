import { appendFileSync } from "node:fs";

/** Called with each (operation, status, code) of a response; `code` is null for a success. */
export type Recorder = (operationId: string, status: number, code: string | null) => void;

/**
 * Appends a line `operation status code`, with `-` for no code, for each combination that is new in this process. Each
 * line is written with one append, so parallel processes can share the file.
 */
export const recordTo = (file: string): Recorder => {
  const seen = new Set<string>();
  return (operationId, status, code) => {
    const line = `${operationId} ${String(status)} ${code ?? "-"}\n`;
    if (seen.has(line)) return;
    seen.add(line);
    appendFileSync(file, line);
  };
};

/** Returns the recorder for the file in `MGMT_COVERAGE_FILE`; undefined when the variable is not set. */
export const environmentRecorder = (): Recorder | undefined => {
  const file = process.env["MGMT_COVERAGE_FILE"];
  return file === undefined || file === "" ? undefined : recordTo(file);
};
