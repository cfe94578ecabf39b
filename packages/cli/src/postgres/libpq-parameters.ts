import { isLoopbackHostname } from "../sdk/sdk.js";
import { type ConnectionParameters, ConnectionStringProblem } from "./parse-connection-string.js";

/** How a client program of Postgres gets to know a server. */
export interface LibpqConnection {
  /** Variables of libpq. Only the process and its account can read them. */
  readonly variables: Readonly<Record<string, string>>;
  /** Arguments of psql and pg_dump: only numbers and words that libpq defines. */
  readonly args: readonly string[];
  /** Host, port and database, as messages name them. */
  readonly name: string;
  /** `sslmode` in the connection string, if it allows a connection without TLS to another machine. */
  readonly weakMode: string | undefined;
  /** Names of parameters that were left out: of drivers, and of libpq's secrets that only arguments could pass. */
  readonly leftOut: { readonly drivers: readonly string[]; readonly secrets: readonly string[] };
  /** Number of parameters that were left out and whose names nobody knows. One may be a part of a password. */
  readonly unknown: number;
}

const word = (...words: string[]): RegExp => new RegExp(`^(?:${words.join("|")})$`);
const number = /^-?\d{1,9}$/;
const methods = "!?(?:password|md5|gss|sspi|scram-sha-256|oauth|none)";
const tlsVersion = word("TLSv1(?:\\.[123])?");
const protocol = word("3\\.\\d", "latest");

interface Parameter {
  /** Variable of libpq. Absent: it is passed as an argument. */
  readonly variable?: string;
  /** Values that libpq accepts. Absent: any. */
  readonly form?: RegExp;
}

const anything = (variable: string): Parameter => ({ variable });

/**
 * The parameters that are passed on (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS). An old libpq ignores
 * variables that it does not know, and refuses such arguments, which is right for `require_auth`: it protects the password.
 */
const passed: Readonly<Record<string, Parameter>> = {
  host: anything("PGHOST"),
  hostaddr: { variable: "PGHOSTADDR", form: /^[\da-f:.%,\w-]+$/i },
  port: { variable: "PGPORT", form: /^\d{0,5}(?:,\d{0,5})*$/ },
  dbname: anything("PGDATABASE"),
  user: anything("PGUSER"),
  password: anything("PGPASSWORD"),
  passfile: anything("PGPASSFILE"),
  application_name: anything("PGAPPNAME"),
  options: anything("PGOPTIONS"),
  connect_timeout: { variable: "PGCONNECT_TIMEOUT", form: number },
  sslmode: {
    variable: "PGSSLMODE",
    form: word("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
  },
  sslrootcert: anything("PGSSLROOTCERT"),
  sslcert: anything("PGSSLCERT"),
  sslkey: anything("PGSSLKEY"),
  sslcrl: anything("PGSSLCRL"),
  sslcrldir: anything("PGSSLCRLDIR"),
  sslsni: { variable: "PGSSLSNI", form: word("0", "1") },
  sslcertmode: { variable: "PGSSLCERTMODE", form: word("disable", "allow", "require") },
  sslnegotiation: { variable: "PGSSLNEGOTIATION", form: word("postgres", "direct") },
  ssl_min_protocol_version: { variable: "PGSSLMINPROTOCOLVERSION", form: tlsVersion },
  ssl_max_protocol_version: { variable: "PGSSLMAXPROTOCOLVERSION", form: tlsVersion },
  min_protocol_version: { variable: "PGMINPROTOCOLVERSION", form: protocol },
  max_protocol_version: { variable: "PGMAXPROTOCOLVERSION", form: protocol },
  channel_binding: { variable: "PGCHANNELBINDING", form: word("disable", "prefer", "require") },
  gssencmode: { variable: "PGGSSENCMODE", form: word("disable", "prefer", "require") },
  gssdelegation: { variable: "PGGSSDELEGATION", form: word("0", "1") },
  gsslib: anything("PGGSSLIB"),
  krbsrvname: anything("PGKRBSRVNAME"),
  requirepeer: anything("PGREQUIREPEER"),
  target_session_attrs: {
    variable: "PGTARGETSESSIONATTRS",
    form: word("any", "read-write", "read-only", "primary", "standby", "prefer-standby"),
  },
  load_balance_hosts: { variable: "PGLOADBALANCEHOSTS", form: word("disable", "random") },
  require_auth: { form: new RegExp(`^${methods}(?:,${methods})*$`) },
  keepalives: { form: number },
  keepalives_idle: { form: number },
  keepalives_interval: { form: number },
  keepalives_count: { form: number },
  tcp_user_timeout: { form: number },
};

/** Secrets of libpq without a variable. */
const secrets: readonly string[] = [
  "sslpassword",
  "oauth_client_secret",
  "scram_client_key",
  "scram_server_key",
];

/** Names that may be printed: other parameters of libpq, and those of drivers, poolers and providers. */
const known: ReadonlySet<string> = new Set(
  // Parameters of libpq that name a file with others, change a session, or are no longer used.
  (
    "service servicefile replication client_encoding fallback_application_name requiressl sslcompression sslkeylogfile oauth_issuer " +
    "oauth_client_id oauth_scope authtype tty " +
    // Prisma, node-postgres, Postgres.js
    "schema pgbouncer connection_limit pool_timeout socket_timeout statement_cache_size sslaccept sslidentity ssl uselibpqcompat " +
    "single_use_connections max_idle_connection_lifetime query_timeout statement_timeout lock_timeout " +
    "idle_in_transaction_session_timeout idle_timeout max_lifetime max prepare fetch_types " +
    // lib/pq, pgx, Go tools
    "search_path binary_parameters pool_max_conns pool_min_conns pool_max_conn_lifetime pool_max_conn_idle_time pool_health_check_period " +
    "default_query_exec_mode statement_cache_capacity description_cache_capacity x-migrations-table timezone TimeZone " +
    // JDBC
    "currentSchema prepareThreshold preparedStatementCacheQueries ApplicationName loginTimeout connectTimeout socketTimeout " +
    "tcpKeepAlive targetServerType reWriteBatchedInserts stringtype sslfactory binaryTransfer defaultRowFetchSize loadBalanceHosts " +
    // Npgsql
    "Pooling MinPoolSize MaxPoolSize TrustServerCertificate IncludeErrorDetail CommandTimeout KeepAlive SearchPath Encoding Timezone " +
    "NoResetOnClose MaxAutoPrepare PersistSecurityInfo Multiplexing LogParameters " +
    // SQLAlchemy, Rails, Django
    "charset encoding pool adapter conn_max_age reconnect prepared_statements async_fallback server_settings " +
    // Vercel, Supabase
    "supa workaround pool_mode"
  ).split(" "),
);

/** Other names for values of `sslmode`, in node-postgres and Npgsql. */
const modesElsewhere: Readonly<Record<string, string>> = {
  "no-verify": "require",
  verifyca: "verify-ca",
  verifyfull: "verify-full",
};

/**
 * Chooses what of a connection string is passed to the client programs of Postgres. Off this machine, TLS is required unless the
 * connection string says otherwise.
 *
 * @param env Variables of the user, of which `PGSSLMODE` and `PGSSLROOTCERT` count.
 * @throws ConnectionStringProblem
 */
export const libpqConnection = (
  parameters: ConnectionParameters,
  env: Readonly<Record<string, string | undefined>>,
): LibpqConnection => {
  const variables: Record<string, string> = {};
  const args: string[] = [];
  const others: string[] = [];
  for (const [name, value] of parameters) {
    const parameter = Object.hasOwn(passed, name) ? passed[name] : undefined;
    if (!parameter) others.push(name);
    else if (value !== "") {
      const text = name === "sslmode" ? sslMode(value) : value;
      if (parameter.form && !parameter.form.test(text)) {
        throw new ConnectionStringProblem(
          `its parameter ${name} has a value that libpq does not know`,
          "Correct or remove the parameter.",
        );
      }
      if (parameter.variable) variables[parameter.variable] = text;
      else args.push(`${name}=${text}`);
    }
  }
  const { PGHOST: host = "", PGHOSTADDR: address = "", PGPORT: port = "", PGDATABASE: database } = variables;
  const hosts = (host || address).split(",");
  assertHosts(hosts);
  assertPorts(port);
  const isLocal = (address || host)
    .split(",")
    .every((host) => /^[/@]/.test(host) || isLoopbackHostname(bracketed(host)));
  const ssl = parameters.get("ssl") ?? "";
  if (!variables["PGSSLMODE"] && /^(?:true|1|on|require)$/i.test(ssl)) variables["PGSSLMODE"] = "require";
  const own = variables["PGSSLMODE"];
  if (own === undefined) {
    const mode = modeOfUser(env["PGSSLMODE"], isLocal);
    if (mode !== undefined) variables["PGSSLMODE"] = mode;
  }
  const rootcert = env["PGSSLROOTCERT"];
  if (rootcert) variables["PGSSLROOTCERT"] ??= rootcert;
  // Poolers do not understand its negotiation, which libpq tries where the user has a ticket of Kerberos.
  variables["PGGSSENCMODE"] ??= "disable";
  return {
    variables,
    args: args.length === 0 ? [] : [`--dbname=${args.join(" ")}`],
    name: `${hosts.map(bracketed).join(",")}${port && `:${port}`}${database ? `/${database}` : ""}`,
    weakMode: isLocal || own === undefined || !isWeak(own) ? undefined : own,
    leftOut: {
      drivers: others.flatMap((name) => nameOfDriver(name) ?? []).filter((name) => name !== "ssl"),
      secrets: others.filter((name) => secrets.includes(name)),
    },
    unknown: others.filter((name) => !secrets.includes(name) && nameOfDriver(name) === undefined).length,
  };
};

/** Returns the name of a parameter that is known, which Npgsql may write with spaces. */
const nameOfDriver = (name: string): string | undefined =>
  [name, name.replaceAll(" ", "")].find((spelling) => known.has(spelling));

const sslMode = (value: string): string => {
  const text = value.toLowerCase();
  return modesElsewhere[text] ?? text;
};

const isWeak = (mode: string): boolean => ["disable", "allow", "prefer"].includes(mode);

/** Returns the mode for a connection string that names none. Undefined is libpq's default. */
const modeOfUser = (variable: string | undefined, isLocal: boolean): string | undefined => {
  const mode = variable && passed["sslmode"]?.form?.test(variable) ? variable : undefined;
  if (isLocal) return mode;
  return mode === undefined || isWeak(mode) ? "require" : mode;
};

const hostForm = /^(?:[\p{L}\p{N}._-]+|[\da-f:.]+(?:%[\w.-]+)?|[/@].*)$/iu;

const assertHosts = (hosts: readonly string[]): void => {
  if (hosts.join("") === "") throw new ConnectionStringProblem("it has no host");
  if (!hosts.every((host) => hostForm.test(host))) {
    throw new ConnectionStringProblem("its host has a character that no host has");
  }
};

const assertPorts = (text: string): void => {
  for (const port of text.split(",").filter((part) => part !== "")) {
    if (Number(port) < 1 || Number(port) > 65_535) {
      throw new ConnectionStringProblem("its port is not between 1 and 65535");
    }
  }
};

const bracketed = (host: string): string =>
  host.includes(":") && !host.startsWith("/") ? `[${host}]` : host;
