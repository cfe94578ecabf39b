import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { ServeVariable } from "@mgmt/internal/environment/variables";
import { findClosestName } from "@mgmt/internal/text/closest-name";
import { Ajv, type ErrorObject } from "ajv";
import { type Document, parseDocument } from "yaml";
import { serveErrors } from "../errors/serve-error.js";
import { type ServeSettings, serveSettingsSchema } from "./config-schema.js";

/** The file, the environment, and the flags that settings are read from. */
export interface ConfigSources {
  /** Path of a YAML or JSON file. Default: none. */
  readonly file?: string | undefined;
  /** Paths in flags and variables are relative to it. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Settings of flags, by their names in the file. They override variables, which override the file. */
  readonly flags: { readonly [Name in FlagSetting]?: string | undefined };
}

/** The settings that have a flag. */
type FlagSetting = "keyFile" | "listen" | "adminListen" | "baseUrl";

/** Variables, and the settings that they override. */
const variableSettings: readonly (readonly [ServeVariable, keyof ServeSettings])[] = [
  ["MGMT_SERVE_DATABASE_URL", "databaseUrl"],
  ["MGMT_SERVE_CLUSTER_URL", "clusterUrl"],
  ["MGMT_SERVE_KEY_FILE", "keyFile"],
  ["MGMT_SERVE_LISTEN", "listen"],
  ["MGMT_SERVE_ADMIN_LISTEN", "adminListen"],
  ["MGMT_SERVE_BASE_URL", "baseUrl"],
];

/**
 * Reads the settings of a service. Paths become absolute: paths in the file are relative to its directory.
 *
 * @throws ServeError `serve:config_unreadable`, `serve:config_invalid`. Their messages contain no values.
 */
export const readServeConfig = async ({ file, cwd, env, flags }: ConfigSources): Promise<ServeSettings> => {
  rejectAddresses({ config: file, ...flags });
  const filePath = file === undefined ? undefined : resolve(cwd, file);
  const fileSettings =
    filePath === undefined ? {} : resolvePaths(await readFileSettings(filePath), dirname(filePath));
  const variables = variableSettings.flatMap(([variable, setting]) =>
    env[variable] ? [[setting, env[variable]] as const] : [],
  );
  const flagSettings = Object.entries(flags).filter(([, value]) => value !== undefined);
  const overrides = resolvePaths(Object.fromEntries([...variables, ...flagSettings]), cwd);
  const settings: unknown = { ...fileSettings, ...overrides };
  if (!isServeSettings(settings))
    throw serveErrors.configInvalid(
      filePath ?? "flags and environment",
      (isServeSettings.errors ?? []).map(formatProblem),
    );
  return settings;
};

/** Refuses the connection string of a database as the value of a flag before an error can repeat it. */
const rejectAddresses = ({ baseUrl: _, ...values }: Readonly<Record<string, string | undefined>>): void => {
  for (const [name, value] of Object.entries(values)) {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (/^\w+:\/\//.test(value ?? "")) throw serveErrors.addressInFlag(flag, "MGMT_SERVE_DATABASE_URL");
  }
};

const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true });
const isServeSettings = ajv.compile<ServeSettings>(serveSettingsSchema);

const readFileSettings = async (path: string): Promise<Record<string, unknown>> => {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw serveErrors.configUnreadable(
      path,
      readProblems[String(readErrorCode(error))] ?? String(readErrorCode(error)),
      error,
    );
  });
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    // The message of the parser may repeat a part of the text, which may have a password.
    const line = text.slice(0, problem.pos[0]).split("\n").length;
    throw serveErrors.configUnreadable(path, `line ${String(line)} is not valid YAML (${problem.code})`);
  }
  const value = toSettings(document, path);
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw serveErrors.configInvalid(path, ["it must be a mapping of settings"]);
  return { ...value };
};

const toSettings = (document: Document, path: string): unknown => {
  try {
    return document.toJS();
  } catch {
    // The document has too many aliases, or an alias without an anchor.
    throw serveErrors.configUnreadable(path, "its aliases cannot be resolved");
  }
};

const readProblems: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  EACCES: "this account may not read it",
};

/** Settings that are paths. */
const pathSettings: ReadonlySet<string> = new Set(["keyFile", "certFile"]);

const resolvePaths = (
  settings: Readonly<Record<string, unknown>>,
  directory: string,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (pathSettings.has(name) && typeof value === "string" && value !== "")
        return [name, resolve(directory, value)];
      if (name === "tls" && typeof value === "object" && value !== null)
        return [name, resolvePaths({ ...value }, directory)];
      return [name, value];
    }),
  );

/** Describes a problem without the value, which may be a secret. */
const formatProblem = ({ keyword, instancePath, params, message, parentSchema }: ErrorObject): string => {
  const path = instancePath.slice(1).replaceAll("/", ".");
  if (keyword === "additionalProperties") {
    const name = String(params["additionalProperty"]);
    const properties: unknown = parentSchema?.["properties"];
    const closestName = findClosestName(name, Object.keys(properties ?? serveSettingsSchema.properties));
    const fullName = path === "" ? name : `${path}.${name}`;
    return `${fullName} is not a setting${closestName === undefined ? "" : ` (did you mean ${closestName}?)`}`;
  }
  if (keyword === "required") {
    const name = String(params["missingProperty"]);
    const variable = variableSettings.find(([, setting]) => setting === name)?.[0];
    const fullName = path === "" ? name : `${path}.${name}`;
    return `${fullName} is missing${variable === undefined ? "" : ` (or set ${variable})`}`;
  }
  if (keyword === "enum") {
    const values: unknown = params["allowedValues"];
    return `${path} must be one of ${Array.isArray(values) ? values.join(", ") : ""}`;
  }
  if (keyword === "pattern")
    return `${path} must be ${path === "baseUrl" ? "an http or https URL without a user and a query" : "HOST:PORT"}`;
  return `${path} ${message ?? "is not valid"}`;
};
