/** The parameters of a connection, by libpq's names where it has one. */
export type ConnectionParameters = ReadonlyMap<string, string>;

/** The reason why a string is not a connection string. No message repeats a part of it, because any part may belong to a password. */
export class ConnectionStringProblem extends Error {
  constructor(
    /** The problem, for example `it has no host`. */
    problem: string,
    readonly hint: string = forms,
  ) {
    super(problem);
  }
}

/** The system limits the length of a variable. */
const maxLength = 10_000;

const forms =
  "Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or as host=HOST port=PORT user=USER password=PASSWORD dbname=DATABASE. " +
  "In the first form, special characters of the password are percent-encoded: / as %2F, ? as %3F, # as %23, @ as %40, & as %26, % as %25.";

/**
 * Reads a connection string of libpq (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), in either of its forms,
 * of JDBC, of SQLAlchemy, or of Npgsql. Refuses strings that programs understand differently, such as a `/`, `?`, `#` or second `@` that is
 * not encoded in the password.
 *
 * @throws ConnectionStringProblem
 */
export const parseConnectionString = (text: string): ConnectionParameters => {
  if (text.length > maxLength) {
    throw new ConnectionStringProblem(`it has more than ${String(maxLength)} characters`);
  }
  if (text.includes("\0")) throw new ConnectionStringProblem("it has a null character");
  if (/^["'`]/.test(text)) throw new ConnectionStringProblem("it begins with a quote", "Remove the quotes.");
  if (/^(?:export\s+)?\w+\s*=\s*["']?(?:jdbc:)?postgres\w*(?:\+\w+)?:\/\//i.test(text)) {
    throw new ConnectionStringProblem(
      "it begins with the name of a variable",
      "Pass only the value: a line of an env file is no connection string.",
    );
  }
  if (/^prisma(?:\+postgres(?:ql)?)?:/i.test(text)) {
    throw new ConnectionStringProblem(
      "it is the address of a proxy of Prisma, to which programs of Postgres cannot connect",
      "Use the direct connection string of the database.",
    );
  }
  const uri = /^(?:jdbc:)?(?:postgres|postgresql|postgis)(?:\+\w+)?:\/\/(.*)$/is.exec(text);
  if (uri) return parseUri(uri[1] ?? "");
  if (/^\w+(?:[:+]\w+)*:\//.test(text)) {
    throw new ConnectionStringProblem("it does not begin with postgresql://");
  }
  return /^\s*[A-Za-z][\w ]*=\s*(?:(?:"[^"]*"|'[^']*'|[^\s;'"]+)\s*)?;/.test(text)
    ? parsePairs(text)
    : parseKeywords(text);
};

const notEncoded = (character: string, encoded: string, where = "the user name or password"): never => {
  throw new ConnectionStringProblem(
    `a ${character} in ${where} is not percent-encoded`,
    `Write it as ${encoded} there. In a password, also encode / as %2F, ? as %3F, # as %23, @ as %40, & as %26 and % as %25.`,
  );
};

/** @param rest The part after `postgresql://`. */
const parseUri = (rest: string): ConnectionParameters => {
  if (/\s/.test(rest)) {
    throw new ConnectionStringProblem(
      "it has a space or a line break",
      "Write a space as %20, and the whole text as one line.",
    );
  }
  if (/%(?![\da-f]{2})/i.test(rest)) notEncoded("%", "%25");
  // libpq has no fragments.
  if (rest.includes("#")) notEncoded("#", "%23");
  const [, authority = "", path = "", query = ""] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(rest) ?? [];
  const at = authority.indexOf("@");
  if (authority.includes("@", at + 1)) notEncoded("@", "%40");
  // The rest of a password whose beginning looks like a host and a port.
  if (path.includes("@")) notEncoded(at === -1 ? "/" : "@", at === -1 ? "%2F" : "%40");
  const parameters = new Map<string, string>();
  const [user = "", password] = at === -1 ? [] : splitOnce(authority.slice(0, at), ":");
  if (user !== "") parameters.set("user", decoded(user));
  if (password) parameters.set("password", decoded(password));
  const hosts = authority.slice(at + 1);
  if (hosts !== "") {
    const addresses = hosts.split(",").map(hostAndPort);
    parameters.set("host", addresses.map(([host]) => host).join(","));
    if (addresses.some(([, port]) => port !== "")) {
      parameters.set("port", addresses.map(([, port]) => port).join(","));
    }
  }
  if (path !== "") parameters.set("dbname", decoded(path));
  for (const pair of query.split("&").filter((part) => part !== "")) {
    const [name = "", value] = splitOnce(pair, "=");
    if (value === undefined || name === "") {
      throw new ConnectionStringProblem(
        "a parameter has no value",
        "If the password has a ? or an &, write it as %3F or %26.",
      );
    }
    // As in `user:12?3=4@host`, where the password has the question mark.
    if (value.includes("@") && at === -1 && !namesWithAt.includes(name)) notEncoded("?", "%3F");
    parameters.set(decoded(name), decoded(value));
  }
  return parameters;
};

/** Parameters whose value may have an `@` that is not encoded. */
const namesWithAt: readonly string[] = ["user", "password", "host", "dbname", "options", "application_name"];

const hostAndPort = (text: string): readonly [host: string, port: string] => {
  const match = /^(?:\[([\da-f:.]+(?:%25[\w.-]+)?)\]|([^[\]:]*))(?::(\d+))?$/i.exec(text);
  if (!match) {
    // The text may be a user name and the beginning of a password.
    throw new ConnectionStringProblem(
      "what should be its host and port is neither, as when the password has a / or a ?",
    );
  }
  const [, address, name = "", port = ""] = match;
  return [decoded(address ?? name), port];
};

const splitOnce = (text: string, separator: string): [string, string?] => {
  const index = text.indexOf(separator);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + separator.length)];
};

const decoded = (text: string): string => {
  let value: string;
  try {
    value = decodeURIComponent(text);
  } catch {
    throw new ConnectionStringProblem("it has percent-encoded bytes that are not UTF-8");
  }
  if (value.includes("\0")) throw new ConnectionStringProblem("it has a null character");
  return value;
};

/** Reads keywords and values, as libpq does: `host=localhost password='it\'s'`. */
const parseKeywords = (text: string): ConnectionParameters => {
  const parameters = new Map<string, string>();
  const pair = /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\[^])*)'|((?:[^\s'\\]|\\[^])(?:[^\s\\]|\\[^])*)?)(?=\s|$)\s*/y;
  while (pair.lastIndex < text.length) {
    const match = pair.exec(text);
    if (!match) {
      throw new ConnectionStringProblem(
        parameters.size === 0
          ? "it has neither the form of a URI nor that of keywords and values"
          : "a value after the first one cannot be read",
        parameters.size === 0
          ? forms
          : String.raw`A value with a space is written in single quotes, and a quote or a backslash in it as \' or \\.`,
      );
    }
    const [, name = "", quoted, plain = ""] = match;
    parameters.set(name, (quoted ?? plain).replaceAll(/\\([^])/g, "$1"));
  }
  return parameters;
};

/** The names of libpq's parameters in Npgsql (https://www.npgsql.org/doc/connection-string-parameters.html), without spaces. */
const namesOfNpgsql: Readonly<Record<string, string>> = {
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
const parsePairs = (text: string): ConnectionParameters => {
  const parameters = new Map<string, string>();
  const pair =
    /\s*([A-Za-z][\w ]*?)\s*=\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^;"'][^;]*)?)\s*(?:;|$)[\s;]*/y;
  while (pair.lastIndex < text.length) {
    const match = pair.exec(text);
    if (!match) {
      throw new ConnectionStringProblem(
        "a value after a semicolon cannot be read",
        'A value with a semicolon or a quote is written in double quotes, and a double quote in it as "".',
      );
    }
    const [, name = "", double, single, plain = ""] = match;
    const value = double?.replaceAll('""', '"') ?? single?.replaceAll("''", "'") ?? plain.trim();
    const known = namesOfNpgsql[name.toLowerCase().replaceAll(/[ _]/g, "")];
    parameters.set(known ?? name, value);
  }
  return parameters;
};
