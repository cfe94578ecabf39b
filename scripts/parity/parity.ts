import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Recording, setupMock } from "@mgmt/mock";
import { createClient } from "@mgmt/sdk";
import { readRecording, writeRecording } from "../../packages/mock/src/record/recording.js";
import { format } from "prettier";
import { loadContract, root } from "../generate/contract/contract.js";
import { parityPage } from "../generate/docs/parity.js";
import { referenceFolder } from "../generate/docs/sdk-reference.js";
import { recordedFile, summarize } from "./recorded.js";
import { tour } from "./tour.js";

export const usage = `npm run parity -- --upstream URL [--recording FILE]
npm run parity -- --recording FILE

Compares the reference server with a service, and writes the results to ${recordedFile} and
${referenceFolder}/parity.md.

  --upstream URL     Address of the service, without /v1. Reads what exists there, and creates, changes, and deletes
                     one project, with the token in MGMT_TOKEN.
  --recording FILE   With --upstream, where to save the recording, without secrets. Otherwise, the recording to
                     compare, for example of npx @mgmt/mock --record.
  --out DIR          Where to write the results (default: this repository)

Exits with 0 even if there are differences, with 1 if the service cannot be recorded, and with 2 on wrong usage.
`;

/** Records a tour of a service. */
const record = async (upstream: string, token: string): Promise<Recording> => {
  const mock = setupMock();
  const recording = await mock.record({ upstream });
  const client = createClient({ baseUrl: mock.baseUrl, fetch: mock.fetch, token });
  await tour(client, `parity-${Date.now().toString(36)}`);
  return recording.recording();
};

/** Compares a recording with the reference server, and writes the results. */
const compare = async (recording: Recording, out: string, print: ParityHost["print"]): Promise<void> => {
  const report = await setupMock().replay(recording);
  const recorded = summarize(recording, report);
  const contract = await loadContract();
  await writeFile(join(out, recordedFile), `${JSON.stringify(recorded, undefined, 2)}\n`);
  const page = await format(parityPage(contract, recorded), { parser: "markdown", printWidth: 110 });
  await writeFile(join(out, referenceFolder, "parity.md"), page);
  for (const { operationId, differences, skipped } of report) {
    for (const { kind, request, recorded: theirs, reference } of differences) {
      print(`${operationId}: ${kind} of ${request}: recorded ${theirs}, reference ${reference}`);
    }
    for (const request of skipped) print(`${operationId}: skipped ${request}`);
  }
  const differing = Object.values(recorded.operations).filter(({ differences }) => differences.length > 0);
  const operations = String(Object.keys(recorded.operations).length);
  print(`${operations} operations recorded, ${String(differing.length)} with differences`);
};

/** What the command uses of its process. */
export interface ParityHost {
  /** Token of the service. */
  readonly token: string | undefined;
  print(line: string): void;
}

/**
 * Runs `npm run parity`.
 *
 * @throws TypeError on wrong usage, or MockError if the service cannot be recorded.
 */
export const runParity = async (words: string[], { token, print }: ParityHost): Promise<void> => {
  const { values } = parseArgs({
    args: words,
    options: { upstream: { type: "string" }, recording: { type: "string" }, out: { type: "string" } },
  });
  const { upstream, recording: file, out = root } = values;
  if (upstream === undefined) {
    if (file === undefined) throw new TypeError("Set --upstream or --recording");
    await compare(await readRecording(resolve(file)), resolve(out), print);
    return;
  }
  if (!token) throw new TypeError("Set MGMT_TOKEN to a token of the service");
  const recording = await record(upstream, token);
  if (file !== undefined) await writeRecording(resolve(file), recording);
  await compare(recording, resolve(out), print);
};
