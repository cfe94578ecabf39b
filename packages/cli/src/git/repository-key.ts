import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { getHomeFolder } from "@mgmt/internal/files/user-folders";

/** Hosts that serve the repositories of another host, where port 22 is closed. */
const repositoryHostByAlias: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
};

/** Hosts whose paths are the same in any case. Elsewhere two repositories may differ in it. */
const caseInsensitiveHosts: ReadonlySet<string> = new Set(["github.com", "gitlab.com", "bitbucket.org"]);

/**
 * Returns a short string that identifies the repository of a git remote: its name and a part of a hash. All URLs of one repository
 * have the same key: URLs for ssh and https, with and without `.git`, a user or a password. It contains none of them.
 *
 * @param folder the base of relative paths.
 */
export const createRepositoryKey = (remoteUrl: string, folder: string): string => {
  const identity = identifyRepository(remoteUrl.trim(), folder);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  const name = (identity.split("/").at(-1) ?? "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  return name === "" ? hash : `${name}-${hash}`;
};

/** Returns whether a string has the form of `createRepositoryKey`. */
export const isRepositoryKey = (key: string): boolean => /^(?:[A-Za-z0-9_-]+-)?[0-9a-f]{16}$/.test(key);

const identifyRepository = (remoteUrl: string, folder: string): string => {
  // `host:path`, unless it is the drive of a Windows path.
  const [, host, path] = /^(?:[^@/\s]*@)?(\[[^\]]+\]|[^/:\s]{2,}):(?!\/\/|:)(.*)$/.exec(remoteUrl) ?? [];
  if (host !== undefined && path !== undefined) return formatRemoteIdentity(host, path);
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(remoteUrl))
    return formatLocalIdentity(resolve(folder, expandHome(remoteUrl)));
  let url: URL;
  try {
    url = new URL(remoteUrl);
  } catch {
    return `unknown:${remoteUrl.replace(/\/\/[^/]*@/, "//")}`;
  }
  if (url.protocol === "file:") return formatLocalIdentity(fileURLToPath(url));
  // The ssh and the web server of one host usually have different ports. Two web servers of one host may be different services.
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return formatRemoteIdentity(isWeb ? url.host : url.hostname, url.pathname);
};

const formatRemoteIdentity = (givenHost: string, path: string): string => {
  const lowerCaseHost = givenHost.toLowerCase();
  const host = repositoryHostByAlias[lowerCaseHost] ?? lowerCaseHost;
  const plainPath = removeGitSuffix(decodePath(path).replace(/^\/+/, ""));
  return `${host}/${caseInsensitiveHosts.has(host) ? plainPath.toLowerCase() : plainPath}`;
};

const formatLocalIdentity = (path: string): string => `file:${removeGitSuffix(path.replaceAll("\\", "/"))}`;

const removeGitSuffix = (path: string): string =>
  path
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/+$/, "")
    .replace(/\.git$/i, "")
    .replace(/\/+$/, "");

const expandHome = (path: string): string => path.replace(/^~(?=\/|$)/, getHomeFolder());

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
