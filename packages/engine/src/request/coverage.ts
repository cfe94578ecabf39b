import { appendFileSync } from "node:fs";

/** Told of each (operation, status, code) that was really answered; `code` is null for a success. */
export type Recorder = (operationId: string, status: number, code: string | null) => void;

/**
 * Appends one line, `operation status code` with `-` for no code, for each triple when it is first answered in this
 * process. Lines are short and appended whole, so that parallel processes may share the file.
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

/** The recorder that the environment asks for with `MGMT_COVERAGE_FILE`. */
export const environmentRecorder = (): Recorder | undefined => {
  const file = process.env["MGMT_COVERAGE_FILE"];
  return file === undefined || file === "" ? undefined : recordTo(file);
};
