import { appendFileSync } from "node:fs";
import { findSubstituteOperationId } from "../../packages/engine/src/request/contract-check.js";
import { Engine } from "../../packages/engine/src/request/engine.js";
import type { Exchange } from "../../packages/engine/src/request/exchange.js";
import type { PipelineOutcome } from "../../packages/engine/src/values/message.js";

type Observer = (exchange: Exchange, outcome: PipelineOutcome) => void;

/** Calls the observer with the responses of all servers in this process. Returns a function that ends this. */
export const observeResponses = (observer: Observer): (() => void) => {
  const check = Engine.prototype["enforceContract"];
  Engine.prototype["enforceContract"] = function (this: Engine, exchange, outcome) {
    observer(exchange, outcome);
    return check.call(this, exchange, outcome);
  };
  return () => {
    Engine.prototype["enforceContract"] = check;
  };
};

/**
 * Returns an observer that appends a line `operation status code`, with `-` for no code, for each combination that is new to it. The message
 * and the hint of an error follow as JSON, and each pair of them has a line. Each line is written with one append, so that parallel processes can share the file. Leaves out what the contract does not have for the
 * operation: cut connections, and responses that are due to a fault or to the settings.
 */
export const recordTo = (file: string): Observer => {
  const written = new Set<string>();
  return ({ operation, isOutsideContract }, { status, code, body, dropped }) => {
    if (!operation || isOutsideContract || dropped || findSubstituteOperationId(operation, code)) return;
    const line = `${operation.id} ${String(status)} ${code === null ? "-" : `${code} ${textsIn(body)}`}
`;
    if (written.has(line)) return;
    written.add(line);
    appendFileSync(file, line);
  };
};

const textsIn = (body: unknown): string => {
  // `toErrorOutcome` builds the body of every outcome with a code.
  const { error } = body as { error: { message: string; hint?: string } };
  return JSON.stringify({ message: error.message, hint: error.hint });
};

let isRecording = false;

/** Records the responses of this process, once. */
export const startRecording = (file: string): void => {
  if (!isRecording) observeResponses(recordTo(file));
  isRecording = true;
};
