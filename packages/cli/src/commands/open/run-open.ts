import { errorCode } from "@mgmt/internal/errors/error-code";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { noBaseUrl } from "../../errors/access-errors.js";
import { noPage, nothingNamed, nothingToOpen } from "../../errors/open-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { assertPathId } from "../../input/ids.js";
import { isAtTerminal } from "../../input/ask.js";
import { mayBeName } from "../../contract/id-form.js";
import { resolveName } from "../../run/names/resolve-name.js";
import { takeDefault } from "../../profiles/defaults.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { clientFor, connectTo } from "../../service/connect.js";
import { launchBrowser, whyNoBrowser } from "../../system/browser.js";
import { isCi } from "../../system/ci-system.js";

export interface OpenFlags {
  readonly target: string | undefined;
  /** Whether to open a browser. Default: on a terminal, if there is a browser. */
  readonly browser: boolean | undefined;
}

/** What `mgmt open --output json` prints. */
export interface OpenResult {
  readonly url: string;
  /** Whether it was opened in a browser. */
  readonly opened: boolean;
}

/** Opens the page of a resource, or prints its URL. */
export const runOpen = async (
  { target, browser }: OpenFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, env } = context;
  const url = await urlOf(target, flags, context);
  const opens = browser ?? (isAtTerminal(context) && !isCi(env) && whyNoBrowser(env) === undefined);
  const opened = opens && (await launchBrowser(url));
  const { fields, query } = output.presentation;
  if (output.format !== "table" || fields || query) {
    const result: OpenResult = { url, opened };
    return output.result(result);
  }
  if (opened) output.info(`Opened ${url}.`);
  else output.text(url);
};

const urlOf = async (target: string | undefined, flags: GlobalFlags, context: Context): Promise<string> => {
  const access = await resolveAccess(flags, context);
  if (target === "docs") {
    if (!access.baseUrl) throw noBaseUrl();
    // Checks the address.
    await clientFor(access.baseUrl, false, context);
    return `${access.baseUrl.value.replace(/\/+$/, "")}/v1/doc`;
  }
  const text = target ?? takeDefault("projectId", flags, context)?.value;
  if (text === undefined) throw nothingToOpen();
  const client = await connectTo(access, context);
  const resource = mayBeName(text) ? await findNamed(text, client, flags, context) : byPrefix(text);
  return pageOf(resource, client, context);
};

/** Reads the address of the page of a resource. The caller checks the address. */
type ReadPage = (
  client: MgmtClient,
  id: string,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;

interface Found {
  readonly id: string;
  readonly readPage: ReadPage;
}

const ofDomain = (domain: unknown): unknown => typeof domain === "string" && `https://${domain}`;

const projectPage: ReadPage = async (client, id, options) => (await client.projects.get(id, options)).url;
const databasePage: ReadPage = async (client, id, options) => (await client.databases.get(id, options)).url;
const appPage: ReadPage = async (client, id, options) =>
  ofDomain((await client.services.get(id, options)).appEndpointDomain);

/** Pages of resources, by the prefix of their ids. */
const pages: Readonly<Record<string, ReadPage>> = {
  [idPrefixes.project]: projectPage,
  [idPrefixes.branch]: async (client, id, options) => (await client.branches.get(id, options)).url,
  [idPrefixes.database]: databasePage,
  [idPrefixes.connection]: async (client, id, options) => (await client.connections.get(id, options)).url,
  [idPrefixes.workspace]: async (client, id, options) => (await client.workspaces.get(id, options)).url,
  [idPrefixes.app]: appPage,
  [idPrefixes.deployment]: async (client, id, options) =>
    ofDomain((await client.deployments.get(id, options)).previewDomain),
};

const byPrefix = (id: string): Found => {
  const readPage = Object.entries(pages).find(([prefix]) => id.startsWith(prefix))?.[1];
  if (readPage !== undefined) return { id, readPage };
  throw usageError(
    `mgmt open cannot open ${JSON.stringify(id)}`,
    `Ids start with ${Object.keys(pages).join(", ")}.`,
  );
};

const namedKinds = [
  ["project", projectPage],
  ["database", databasePage],
  ["app", appPage],
] as const;

const findNamed = async (
  text: string,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<Found> => {
  const { signal } = context;
  assertPathId("<target>", text);
  const scope = { client, signal, defaultProject: () => takeDefault("projectId", flags, context)?.value };
  for (const [kind, readPage] of namedKinds) {
    const id = await resolveName(kind, text, scope).catch((error: unknown) => {
      // A name with a slash may be that of another kind.
      if (errorCode(error) === "name:not_found") return undefined;
      throw error;
    });
    if (id !== undefined) return { id, readPage };
  }
  throw nothingNamed(text);
};

const pageOf = async (
  { id, readPage }: Found,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<string> => {
  const url = await readPage(client, id, { signal });
  // The operating system would start other programs for other schemes.
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw noPage(id);
  }
  return new URL(url).href;
};
