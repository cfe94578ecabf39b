import type { Context, GlobalFlags } from "../../input/context.js";
import { noDefaultFor, otherOrigin } from "../../errors/api-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { activeProfile } from "../../profiles/active-profile.js";
import { takeDefault } from "../../profiles/defaults.js";
import { defaultVariables, isDefaultName } from "../../profiles/profile.js";

/** The path and the query of a request. */
export interface RequestPath {
  /** Starts with a version, such as `/v1`. Encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Reads a path as it was typed: with or without `/v1`, with a query, or as an address of the service. Throws
 * `api:other_origin` for the address of another service.
 */
export const readPath = (typed: string, baseUrl: string): RequestPath => {
  const [, text = "", search = ""] = /^([^?]*)\??([^]*)$/.exec(withoutOrigin(typed, baseUrl)) ?? [];
  if (/[\\#]|[\u0000-\u001f\u007f]/.test(text) || search.includes("#")) {
    throw usageError(
      "The path cannot contain a backslash, a number sign or a control character",
      "Encode it: a number sign is %23.",
    );
  }
  const trimmed = text.replace(/^\/+|\/+$/g, "");
  if (trimmed === "") throw usageError("The path is empty", "Pass one such as /v1/projects.");
  if (trimmed.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw usageError("The path cannot contain the segments . and ..", "Pass the path that they lead to.");
  }
  const version = /^v\d+(\/|$)/.test(trimmed) ? "" : "v1/";
  const encoded = trimmed.replaceAll(/[^\x21-\x7e]|["<>^`{|}]|%(?![\da-f]{2})/giu, encodeURIComponent);
  return { path: `/${version}${encoded}`, query: new URLSearchParams(search) };
};

const withoutOrigin = (typed: string, baseUrl: string): string => {
  if (!/^[a-z][a-z\d+.-]*:/i.test(typed)) return typed;
  if (!URL.canParse(typed) || !URL.canParse(baseUrl)) {
    throw usageError("The path is not a valid URL", "Pass a path such as /v1/projects.");
  }
  const { origin, protocol, host, href, username, password } = new URL(typed);
  const base = new URL(baseUrl);
  const start = base.href.replace(/\/*$/, "/");
  if (origin === "null" || username || password || !href.startsWith(start)) {
    throw otherOrigin(`${protocol}//${host}`, base.origin);
  }
  return href.slice(start.length);
};

/** Replaces `{projectId}` and `{workspaceId}` by the defaults. Throws for one without a default, and for any other name. */
export const fillPlaceholders = (
  typed: string,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): string =>
  typed.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isDefaultName(name)) {
      throw usageError(
        `The path contains {${name}}`,
        "Type the id in its place. Only {projectId} and {workspaceId} are replaced by your defaults.",
      );
    }
    const choice = takeDefault(name, flags, context, () => activeProfile(flags, context));
    const flag = name === "projectId" ? "--project-id" : "--workspace-id";
    if (!choice) throw noDefaultFor(name, defaultVariables[name], flag);
    return encodeURIComponent(choice.value);
  });
