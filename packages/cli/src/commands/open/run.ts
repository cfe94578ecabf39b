import { errorCode } from "@mgmt/internal/errors/error-code";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../context/context.js";
import { noBaseUrl } from "../../errors/access-errors.js";
import { noPage, nothingNamed, nothingToOpen } from "../../errors/open-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { assertPathId } from "../../input/ids.js";
import { isAtTerminal } from "../../input/ask.js";
import { valueAt } from "../../contract/json-path.js";
import { mayBeName } from "../../contract/id-form.js";
import { resolveName } from "../../names/resolve-name.js";
import { takeDefault } from "../../profiles/defaults.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { clientFor, connectTo } from "../../service/connect.js";
import { launchBrowser, whyNoBrowser } from "../login/browser.js";
import { isCi } from "../../secrets/ci-system.js";

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
  const found = mayBeName(text) ? await findNamed(text, client, flags, context) : byPrefix(text);
  return pageOf(found, client, context);
};

interface Found {
  readonly id: string;
  readonly path: string;
}

/** Where resources are read, by the prefix of their ids. */
const paths: Readonly<Record<string, string>> = {
  [idPrefixes.project]: "/v1/projects/{id}",
  [idPrefixes.branch]: "/v1/branches/{id}",
  [idPrefixes.database]: "/v1/databases/{id}",
  [idPrefixes.connection]: "/v1/connections/{id}",
  [idPrefixes.workspace]: "/v1/workspaces/{id}",
  [idPrefixes.app]: "/v1/services/{id}",
  [idPrefixes.deployment]: "/v1/deployments/{id}",
};

const byPrefix = (id: string): Found => {
  const path = Object.entries(paths).find(([prefix]) => id.startsWith(prefix))?.[1];
  if (path !== undefined) return { id, path };
  throw usageError(
    `mgmt open cannot open ${JSON.stringify(id)}`,
    `Ids start with ${Object.keys(paths).join(", ")}.`,
  );
};

const namedKinds = [
  ["project", paths[idPrefixes.project]],
  ["database", paths[idPrefixes.database]],
  ["app", paths[idPrefixes.app]],
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
  for (const [kind, path = ""] of namedKinds) {
    const id = await resolveName(kind, text, scope).catch((error: unknown) => {
      // A name with a slash may be that of another kind.
      if (errorCode(error) === "name:not_found") return undefined;
      throw error;
    });
    if (id !== undefined) return { id, path };
  }
  throw nothingNamed(text);
};

const pageOf = async (
  { id, path }: Found,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<string> => {
  const body = await client.request<unknown>({ method: "GET", path, pathParams: { id } }, { signal });
  const field = (name: string): unknown => valueAt(body, ["data", name]);
  const isDeployed = path === paths[idPrefixes.app] || path === paths[idPrefixes.deployment];
  const domain = field("appEndpointDomain") ?? field("previewDomain");
  const url = isDeployed ? typeof domain === "string" && `https://${domain}` : field("url");
  // The operating system would start other programs for other schemes.
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw noPage(id);
  }
  return new URL(url).href;
};
