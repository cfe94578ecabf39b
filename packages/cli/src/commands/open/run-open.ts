import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { missingBaseUrlError } from "../../errors/access-errors.js";
import { noPageError, nothingNamedError, nothingToOpenError } from "../../errors/open-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { assertPathId } from "../../input/ids.js";
import { isAtTerminal } from "../../input/ask.js";
import { mightBeName } from "../../contract/nameable-types.js";
import { resolveName } from "../../run/names/resolve-name.js";
import { resolveAndAnnounceDefault } from "../../profiles/defaults.js";
import { assertServiceUrl, resolveAccess } from "../../profiles/resolve-access.js";
import { connectWithAccess } from "../../service/connect.js";
import { launchBrowser, findNoBrowserReason } from "../../system/browser.js";
import { isUnattended } from "../../system/reader.js";

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
  const url = await resolveUrl(target, flags, context);
  const opensBrowser =
    browser ?? (isAtTerminal(context) && !isUnattended(env) && findNoBrowserReason(env) === undefined);
  const opened = opensBrowser && (await launchBrowser(url));
  const { fields, query } = output.presentation;
  if (output.format !== "table" || fields || query) {
    const result: OpenResult = { url, opened };
    return output.writeResult(result);
  }
  if (opened) output.info(`Opened ${url}.`);
  else output.writeText(url);
};

const resolveUrl = async (
  target: string | undefined,
  flags: GlobalFlags,
  context: Context,
): Promise<string> => {
  const access = await resolveAccess(flags, context);
  if (target === "docs") {
    if (!access.baseUrl) throw missingBaseUrlError();
    await assertServiceUrl(access.baseUrl);
    return `${access.baseUrl.value.replace(/\/+$/, "")}/v1/doc`;
  }
  const targetText = target ?? resolveAndAnnounceDefault("projectId", flags, context)?.value;
  if (targetText === undefined) throw nothingToOpenError();
  const client = await connectWithAccess(access, context);
  const resource = mightBeName(targetText)
    ? await requireOpenableByName(targetText, client, flags, context)
    : requireOpenableById(targetText);
  return fetchPageUrl(resource, client, context);
};

/** Reads the URL of the page of a resource. The caller checks the URL. */
type ReadPageUrl = (
  client: MgmtClient,
  id: string,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;

interface OpenableResource {
  readonly id: string;
  readonly readPageUrl: ReadPageUrl;
}

const toUrlOfDomain = (domain: unknown): string | undefined =>
  typeof domain === "string" ? `https://${domain}` : undefined;

const readProjectUrl: ReadPageUrl = async (client, id, options) =>
  (await client.projects.get(id, options)).url;
const readDatabaseUrl: ReadPageUrl = async (client, id, options) =>
  (await client.databases.get(id, options)).url;
const readAppUrl: ReadPageUrl = async (client, id, options) =>
  toUrlOfDomain((await client.services.get(id, options)).appEndpointDomain);

/** Pages of resources, by the prefix of their ids. */
const pageReaders: Readonly<Record<string, ReadPageUrl>> = {
  [idPrefixes.project]: readProjectUrl,
  [idPrefixes.branch]: async (client, id, options) => (await client.branches.get(id, options)).url,
  [idPrefixes.database]: readDatabaseUrl,
  [idPrefixes.connection]: async (client, id, options) => (await client.connections.get(id, options)).url,
  [idPrefixes.workspace]: async (client, id, options) => (await client.workspaces.get(id, options)).url,
  [idPrefixes.app]: readAppUrl,
  [idPrefixes.deployment]: async (client, id, options) =>
    toUrlOfDomain((await client.deployments.get(id, options)).previewDomain),
};

const requireOpenableById = (id: string): OpenableResource => {
  const readPageUrl = Object.entries(pageReaders).find(([prefix]) => id.startsWith(prefix))?.[1];
  if (readPageUrl !== undefined) return { id, readPageUrl };
  throw usageError(
    `mgmt open cannot open ${JSON.stringify(id)}`,
    `Ids start with ${Object.keys(pageReaders).join(", ")}.`,
  );
};

const openableTypes = [
  ["project", readProjectUrl],
  ["database", readDatabaseUrl],
  ["app", readAppUrl],
] as const;

const requireOpenableByName = async (
  text: string,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<OpenableResource> => {
  const { signal } = context;
  assertPathId("<target>", text);
  const scope = {
    client,
    signal,
    findDefaultProject: () => resolveAndAnnounceDefault("projectId", flags, context)?.value,
  };
  for (const [resourceType, readPageUrl] of openableTypes) {
    const id = await resolveName(resourceType, text, scope).catch((error: unknown) => {
      // A resource of another type may have the name.
      if (readErrorCode(error) === "name:not_found") return undefined;
      throw error;
    });
    if (id !== undefined) return { id, readPageUrl };
  }
  throw nothingNamedError(text);
};

const fetchPageUrl = async (
  { id, readPageUrl }: OpenableResource,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<string> => {
  const url = await readPageUrl(client, id, { signal });
  // The operating system would start other programs for other schemes.
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw noPageError(id);
  }
  return new URL(url).href;
};
