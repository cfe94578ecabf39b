import { resolve } from "node:path";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import { setupFailed } from "../../errors/preview-errors.js";
import { accessTo } from "../../run/database-url.js";
import { type Disclosure, type DisclosureFlags, goElsewhere } from "../../secrets/disclosure.js";
import { withVariable } from "../env/env-file.js";
import { writeVariable } from "../env/run.js";
import { nameWith, type PreviewRecord } from "./record.js";
import { inheritedEnvironment } from "../../output/find-program.js";
import { exitStatusOf } from "../run/run-program.js";

export interface HandOverOptions {
  /** Name of the variable in the file, and in the environment of the setup. */
  readonly name: string;
  readonly file: string | undefined;
  readonly timeoutMs: number;
  /** Whether the connection string is that of the connection pooler. The setup gets the direct one, which all tools can use. */
  readonly pooled: boolean;
  readonly disclosure: DisclosureFlags;
  /** Command that prepares a preview, unless one has succeeded already. */
  readonly setup: string | undefined;
  /** Whether to run it also if one has succeeded already. */
  readonly setupAgain: boolean;
}

/** A preview that exists, and may not be ready. */
export interface ExistingPreview {
  readonly branch: string;
  readonly databaseId: string;
  readonly region: string | null;
  readonly record: PreviewRecord;
}

/** What `mgmt preview up` prints. */
export interface PreviewResult {
  /** Git branch. */
  readonly branch: string;
  readonly databaseId: string;
  /** Whether the database did not exist before. */
  readonly created: boolean;
  readonly region: string | null;
  /** Null if it does not expire. */
  readonly expiresAt: string | null;
  /** How the command of `--setup` ended. Absent if it did not run. */
  readonly setup?: "succeeded" | "failed";
  /** Absent if it was written into a file. */
  readonly connectionString?: string;
  /** Path of the file that the connection string was written into. */
  readonly file?: string;
  /** Name of the variable in the file. */
  readonly variable?: string;
}

/**
 * Waits until a preview is ready, runs the setup if it has to, and prints or writes the connection string, also if the setup fails.
 *
 * @param facts more fields of the result.
 * @throws `preview:setup_failed`.
 */
export const handOver = async (
  { branch, databaseId, region, record }: ExistingPreview,
  facts: { readonly created: boolean },
  options: HandOverOptions,
  disclosure: Disclosure,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const { setup, setupAgain, name, timeoutMs, pooled } = options;
  await client.databases.waitUntilReady(databaseId, { signal, timeoutMs });
  const direct = await accessTo(databaseId, client, context);
  const { url } = pooled ? await accessTo(databaseId, client, context, { pooled }) : direct;
  let status: number | undefined;
  if (setup !== undefined && (setupAgain || record.setupPending)) {
    output.info(`Running the setup: ${setup}`);
    status = await runSetup(setup, { [name]: direct.url }, context);
    signal.throwIfAborted();
    if (status === 0 && record.setupPending) {
      const done = { ...record, setupPending: false, setupDone: true };
      await client.databases.update(databaseId, { name: nameWith(branch, done) }, { signal });
    }
  } else if (record.setupPending) {
    const message = `The setup of ${branch} has not succeeded yet. Pass --setup to run it.`;
    output.notice({ code: "preview:setup_pending", message, databaseId });
  } else if (setup !== undefined) {
    output.info(
      `The setup did not run, because one has succeeded for the preview of ${branch}. --setup-again runs it.`,
    );
  }
  if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= Date.now()) {
    const message = `The preview of ${branch} expired at ${record.expiresAt}: mgmt preview prune deletes it. Pass --expires to keep it longer.`;
    output.notice({ code: "preview:expired", message, databaseId });
  }
  const result = {
    branch,
    databaseId,
    ...facts,
    region,
    expiresAt: record.expiresAt ?? null,
    ...(status !== undefined && { setup: status === 0 ? ("succeeded" as const) : ("failed" as const) }),
  };
  await print(url, result, options, disclosure, context);
  if (status !== undefined && status !== 0) throw setupFailed(branch, result, status);
};

const print = async (
  url: string,
  preview: PreviewResult,
  { file, name, disclosure: flags }: HandOverOptions,
  disclosure: Disclosure,
  context: Context,
): Promise<void> => {
  const { cwd, output } = context;
  if (file === undefined || goElsewhere(flags)) {
    const printed = await disclosure.printed({ ...preview, connectionString: url });
    if (file === undefined) {
      if (output.format === "table" && disclosure.showsNew) output.exact(url);
      else await output.result(printed);
      return;
    }
  }
  if (file === "-") return output.text(withVariable("", name, url));
  const path = resolve(cwd, file);
  await writeVariable({ path, name, url }, context);
  await output.result({ ...preview, file: path, variable: name });
};

/**
 * Runs the command of `--setup` in a shell, with the connection string in its environment. What it prints goes to standard error,
 * because standard output is for the result. Returns its exit status.
 */
const runSetup = (
  command: string,
  variables: Readonly<Record<string, string>>,
  { env, cwd, interruption }: Pick<Context, "env" | "cwd" | "interruption">,
): Promise<number> => {
  const [shell, args] =
    process.platform === "win32"
      ? [env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", command]]
      : ["/bin/sh", ["-c", command]];
  return exitStatusOf(shell, args, {
    cwd,
    env: { ...inheritedEnvironment(env), ...variables },
    stdio: ["ignore", 2, 2],
    interruption,
    // The run ends with the signal once the setup has ended.
    onSignal: (signal) => interruption.interrupt(signal),
    notFound: "Install a shell, or run the setup yourself with mgmt run.",
  });
};
