import type { Context, GlobalFlags } from "../../input/context.js";
import { missingDefaultError, otherOriginError } from "../../errors/api-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import { resolveAndAnnounceDefault } from "../../profiles/defaults.js";
import { defaultVariables, isDefaultName } from "../../profiles/profile.js";

/** The path and the query of a request. */
export interface RequestPath {
  /** Starts with a version, such as `/v1`. Encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Reads a path as it was typed: with or without `/v1`, with a query, or as a URL of the service. Throws
 * `api:other_origin` for the URL of another service.
 */
export const parseRequestPath = (pathArgument: string, baseUrl: string): RequestPath => {
  const [, rawPath = "", queryString = ""] =
    /^([^?]*)\??([^]*)$/.exec(stripBaseUrl(pathArgument, baseUrl)) ?? [];
  if (/[\\#]|[\u0000-\u001f\u007f]/.test(rawPath) || queryString.includes("#")) {
    throw usageError(
      "The path cannot contain a backslash, a number sign or a control character",
      "Encode it: a number sign is %23.",
    );
  }
  const trimmedPath = rawPath.replace(/^\/+|\/+$/g, "");
  if (trimmedPath === "") throw usageError("The path is empty", "Pass one such as /v1/projects.");
  if (trimmedPath.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw usageError("The path cannot contain the segments . and ..", "Pass the path that they lead to.");
  }
  const versionPrefix = /^v\d+(\/|$)/.test(trimmedPath) ? "" : "v1/";
  const encodedPath = trimmedPath.replaceAll(
    /[^\x21-\x7e]|["<>^`{|}]|%(?![\da-f]{2})/giu,
    encodeURIComponent,
  );
  return { path: `/${versionPrefix}${encodedPath}`, query: new URLSearchParams(queryString) };
};

const stripBaseUrl = (pathArgument: string, baseUrl: string): string => {
  if (!/^[a-z][a-z\d+.-]*:/i.test(pathArgument)) return pathArgument;
  if (!URL.canParse(pathArgument) || !URL.canParse(baseUrl)) {
    throw usageError("The path is not a valid URL", "Pass a path such as /v1/projects.");
  }
  const { origin, protocol, host, href, username, password } = new URL(pathArgument);
  const serviceUrl = new URL(baseUrl);
  const serviceUrlPrefix = serviceUrl.href.replace(/\/*$/, "/");
  if (origin === "null" || username || password || !href.startsWith(serviceUrlPrefix)) {
    throw otherOriginError(`${protocol}//${host}`, serviceUrl.origin);
  }
  return href.slice(serviceUrlPrefix.length);
};

/** Replaces `{projectId}` and `{workspaceId}` by the defaults. Throws if the default is not set, and for any other name. */
export const fillPlaceholders = (
  pathArgument: string,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): string =>
  pathArgument.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isDefaultName(name)) {
      throw usageError(
        `The path contains {${name}}`,
        "Type the id in its place. Only {projectId} and {workspaceId} are replaced by your defaults.",
      );
    }
    const defaultValue = resolveAndAnnounceDefault(name, flags, context, () =>
      selectExistingProfile(flags, context),
    );
    const flag = name === "projectId" ? "--project-id" : "--workspace-id";
    if (!defaultValue) throw missingDefaultError(name, defaultVariables[name], flag);
    return encodeURIComponent(defaultValue.value);
  });
