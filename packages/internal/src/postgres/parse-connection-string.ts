/** The parameters of a connection, by libpq's names where it has one. */
export type ConnectionParameters = ReadonlyMap<string, string>;

/** The reason why a string is not a connection string. No message repeats a part of it, because any part may belong to a password. */
export class ConnectionStringError extends Error {
  constructor(
    /** The problem, for example `it has no host`. */
    problem: string,
    readonly hint: string = formatHint,
  ) {
    super(problem);
  }
}

/** Maximum number of characters, because systems limit the length of an environment variable. */
const maxConnectionStringLength = 10_000;

const formatHint =
  "Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or as host=HOST port=PORT user=USER password=PASSWORD dbname=DATABASE. " +
  "In the first form, special characters of the password are percent-encoded: / as %2F, ? as %3F, # as %23, @ as %40, & as %26, % as %25.";

/**
 * Reads a connection string of libpq (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), in either of its forms,
 * of JDBC, of SQLAlchemy, or of Npgsql. Rejects strings that programs understand differently, such as a `/`, `?`, `#` or second `@` that is
 * not encoded in the password.
 *
 * @throws ConnectionStringError
 */
export const parseConnectionString = (connectionString: string): ConnectionParameters => {
  if (connectionString.length > maxConnectionStringLength) {
    throw new ConnectionStringError(`it has more than ${String(maxConnectionStringLength)} characters`);
  }
  if (connectionString.includes("\0")) throw new ConnectionStringError("it has a null character");
  if (/^["'`]/.test(connectionString))
    throw new ConnectionStringError("it begins with a quote", "Remove the quotes.");
  if (/^(?:export\s+)?\w+\s*=\s*["']?(?:jdbc:)?postgres\w*(?:\+\w+)?:\/\//i.test(connectionString)) {
    throw new ConnectionStringError(
      "it begins with the name of a variable",
      "Pass only the value: a line of an env file is no connection string.",
    );
  }
  if (/^prisma(?:\+postgres(?:ql)?)?:/i.test(connectionString)) {
    throw new ConnectionStringError(
      "it is the address of a proxy of Prisma, to which programs of Postgres cannot connect",
      "Use the direct connection string of the database.",
    );
  }
  const uriMatch = /^(?:jdbc:)?(?:postgres|postgresql|postgis)(?:\+\w+)?:\/\/(.*)$/is.exec(connectionString);
  if (uriMatch) return parseUri(uriMatch[1] ?? "");
  if (/^\w+(?:[:+]\w+)*:\//.test(connectionString)) {
    throw new ConnectionStringError("it does not begin with postgresql://");
  }
  return /^\s*[A-Za-z][\w ]*=\s*(?:(?:"[^"]*"|'[^']*'|[^\s;'"]+)\s*)?;/.test(connectionString)
    ? parseNpgsqlPairs(connectionString)
    : parseKeywordValues(connectionString);
};

const throwNotEncoded = (character: string, encodedCharacter: string): never => {
  throw new ConnectionStringError(
    `a ${character} in the user name or password is not percent-encoded`,
    `Write it as ${encodedCharacter} there. In a password, also encode / as %2F, ? as %3F, # as %23, @ as %40, & as %26 and % as %25.`,
  );
};

/** @param uriRest the part after `postgresql://`. */
const parseUri = (uriRest: string): ConnectionParameters => {
  if (/\s/.test(uriRest)) {
    throw new ConnectionStringError(
      "it has a space or a line break",
      "Write a space as %20, and the whole text as one line.",
    );
  }
  if (/%(?![\da-f]{2})/i.test(uriRest)) throwNotEncoded("%", "%25");
  // libpq has no fragments.
  if (uriRest.includes("#")) throwNotEncoded("#", "%23");
  const [, authority = "", path = "", query = ""] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(uriRest) ?? [];
  const atIndex = authority.indexOf("@");
  if (authority.includes("@", atIndex + 1)) throwNotEncoded("@", "%40");
  // The rest of a password whose start looks like a host and a port.
  if (path.includes("@")) throwNotEncoded(atIndex === -1 ? "/" : "@", atIndex === -1 ? "%2F" : "%40");
  const parameters = new Map<string, string>();
  const [user = "", password] = atIndex === -1 ? [] : splitOnce(authority.slice(0, atIndex), ":");
  if (user !== "") parameters.set("user", decodeComponent(user));
  if (password) parameters.set("password", decodeComponent(password));
  const hosts = authority.slice(atIndex + 1);
  if (hosts !== "") {
    const addresses = hosts.split(",").map(parseHostAndPort);
    parameters.set("host", addresses.map(([host]) => host).join(","));
    if (addresses.some(([, port]) => port !== "")) {
      parameters.set("port", addresses.map(([, port]) => port).join(","));
    }
  }
  if (path !== "") parameters.set("dbname", decodeComponent(path));
  for (const pair of query.split("&").filter((part) => part !== "")) {
    const [name = "", value] = splitOnce(pair, "=");
    if (value === undefined || name === "") {
      throw new ConnectionStringError(
        "a parameter has no value",
        "If the password has a ? or an &, write it as %3F or %26.",
      );
    }
    // For example `user:12?3=4@host`, where the question mark is part of the password.
    if (value.includes("@") && atIndex === -1 && !parametersAllowingAt.includes(name))
      throwNotEncoded("?", "%3F");
    parameters.set(decodeComponent(name), decodeComponent(value));
  }
  return parameters;
};

/** Parameters whose value may have an `@` that is not encoded. */
const parametersAllowingAt: readonly string[] = [
  "user",
  "password",
  "host",
  "dbname",
  "options",
  "application_name",
];

const parseHostAndPort = (hostAndPort: string): readonly [host: string, port: string] => {
  const match = /^(?:\[([\da-f:.]+(?:%25[\w.-]+)?)\]|([^[\]:]*))(?::(\d+))?$/i.exec(hostAndPort);
  if (!match) {
    // The text may be a user name and the start of a password.
    throw new ConnectionStringError(
      "what should be its host and port is neither, as when the password has a / or a ?",
    );
  }
  const [, address, name = "", port = ""] = match;
  return [decodeComponent(address ?? name), port];
};

const splitOnce = (text: string, separator: string): [string, string?] => {
  const index = text.indexOf(separator);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + separator.length)];
};

const decodeComponent = (encoded: string): string => {
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded);
  } catch {
    throw new ConnectionStringError("it has percent-encoded bytes that are not UTF-8");
  }
  if (decoded.includes("\0")) throw new ConnectionStringError("it has a null character");
  return decoded;
};

/** Reads keywords and values, as libpq does: `host=localhost password='it\'s'`. */
const parseKeywordValues = (connectionString: string): ConnectionParameters => {
  const parameters = new Map<string, string>();
  const pairPattern =
    /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\[^])*)'|((?:[^\s'\\]|\\[^])(?:[^\s\\]|\\[^])*)?)(?=\s|$)\s*/y;
  while (pairPattern.lastIndex < connectionString.length) {
    const match = pairPattern.exec(connectionString);
    if (!match) {
      throw new ConnectionStringError(
        parameters.size === 0
          ? "it has neither the form of a URI nor that of keywords and values"
          : "a value after the first one cannot be read",
        parameters.size === 0
          ? formatHint
          : String.raw`A value with a space is written in single quotes, and a quote or a backslash in it as \' or \\.`,
      );
    }
    const [, name = "", quoted, unquoted = ""] = match;
    parameters.set(name, (quoted ?? unquoted).replaceAll(/\\([^])/g, "$1"));
  }
  return parameters;
};

/** The names of libpq's parameters in Npgsql (https://www.npgsql.org/doc/connection-string-parameters.html), without spaces. */
const libpqNameByNpgsqlName: Readonly<Record<string, string>> = {
  host: "host",
  server: "host",
  port: "port",
  database: "dbname",
  db: "dbname",
  username: "user",
  user: "user",
  userid: "user",
  uid: "user",
  password: "password",
  pwd: "password",
  psw: "password",
  sslmode: "sslmode",
  rootcertificate: "sslrootcert",
  sslcertificate: "sslcert",
  sslkey: "sslkey",
  sslpassword: "sslpassword",
  passfile: "passfile",
  channelbinding: "channel_binding",
  requireauth: "require_auth",
  applicationname: "application_name",
  options: "options",
  timeout: "connect_timeout",
};

/** Reads pairs that are separated by semicolons, as Npgsql does. */
const parseNpgsqlPairs = (connectionString: string): ConnectionParameters => {
  const parameters = new Map<string, string>();
  const pairPattern =
    /\s*([A-Za-z][\w ]*?)\s*=\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^;"'][^;]*)?)\s*(?:;|$)[\s;]*/y;
  while (pairPattern.lastIndex < connectionString.length) {
    const match = pairPattern.exec(connectionString);
    if (!match) {
      throw new ConnectionStringError(
        "a value after a semicolon cannot be read",
        'A value with a semicolon or a quote is written in double quotes, and a double quote in it as "".',
      );
    }
    const [, name = "", doubleQuoted, singleQuoted, unquoted = ""] = match;
    const value =
      doubleQuoted?.replaceAll('""', '"') ?? singleQuoted?.replaceAll("''", "'") ?? unquoted.trim();
    const libpqName = libpqNameByNpgsqlName[name.toLowerCase().replaceAll(/[ _]/g, "")];
    parameters.set(libpqName ?? name, value);
  }
  return parameters;
};
