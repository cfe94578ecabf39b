import { isObject, getAtPath } from "../json/json-path.js";
import { connectionString } from "../sdk/sdk.js";
import { secretMask } from "./mask.js";

/** How the service returns the credentials of a connection. */
interface DirectConnection {
  /** Host name, with the port unless it is 5432. */
  readonly host: string;
  readonly user: string;
  readonly pass: string;
}

/**
 * Returns the connection string in a database, a connection, or a project with its database. Returns undefined if there is none, or if it
 * is masked.
 */
export const findConnectionString = (resource: unknown): string | undefined => {
  for (const container of listCredentialContainers(resource)) {
    const candidates = [
      getAtPath(container, ["connectionString"]),
      getAtPath(container, [...directEndpointPath, "connectionString"]),
    ];
    const completeConnectionString = candidates.find(isConnectionString);
    if (completeConnectionString !== undefined) return completeConnectionString;
    const credentials = getAtPath(container, ["directConnection"]);
    if (isDirectConnection(credentials)) return connectionString({ directConnection: credentials });
  }
  return undefined;
};

const directEndpointPath = ["endpoints", "direct"];

/** Returns a resource and the parts of it that may have credentials, the ones that were created for the caller first. */
const listCredentialContainers = (resource: unknown): unknown[] => {
  if (!isObject(resource)) return [];
  const { connection, database, connections, defaultConnectionId } = resource;
  const connectionList: unknown[] = Array.isArray(connections) ? connections : [];
  const isDefault = (candidate: unknown): boolean =>
    isObject(candidate) && candidate["id"] === defaultConnectionId;
  return [
    connection,
    resource,
    ...connectionList.filter(isDefault),
    ...connectionList.filter((candidate) => !isDefault(candidate)),
    ...(isObject(database) ? listCredentialContainers(database) : []),
  ];
};

const isConnectionString = (value: unknown): value is string =>
  typeof value === "string" && /^postgres(ql)?:\/\//.test(value);

const isDirectConnection = (value: unknown): value is DirectConnection =>
  isObject(value) &&
  ["host", "user", "pass"].every((name) => typeof value[name] === "string") &&
  value["pass"] !== secretMask;
