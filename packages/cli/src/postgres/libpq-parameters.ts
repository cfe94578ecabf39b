import { isLoopbackHostname } from "../sdk/sdk.js";
import {
  type ConnectionParameters,
  ConnectionStringError,
} from "@mgmt/internal/postgres/parse-connection-string";

/** Settings that tell a client program of Postgres how to connect. */
export interface LibpqSettings {
  /** Variables of libpq. Only the process and its account can read them. */
  readonly variables: Readonly<Record<string, string>>;
  /** Arguments of psql and pg_dump: only numbers and words that libpq defines. */
  readonly args: readonly string[];
  /** Host, port and database, as messages name them. */
  readonly displayName: string;
  /** `sslmode` in the connection string, if it allows a connection without TLS to another machine. */
  readonly weakSslMode: string | undefined;
  /** Names of parameters that were left out: of drivers, and of libpq's secrets that only arguments could pass. */
  readonly omittedNames: {
    readonly driverParameters: readonly string[];
    readonly secretParameters: readonly string[];
  };
  /** Number of parameters that were left out and whose names are unknown. One may be a part of a password. */
  readonly unknownCount: number;
}

const createWordPattern = (...words: string[]): RegExp => new RegExp(`^(?:${words.join("|")})$`);
const integerPattern = /^-?\d{1,9}$/;
const authMethodPattern = "!?(?:password|md5|gss|sspi|scram-sha-256|oauth|none)";
const tlsVersionPattern = createWordPattern("TLSv1(?:\\.[123])?");
const protocolPattern = createWordPattern("3\\.\\d", "latest");

interface LibpqParameter {
  /** Variable of libpq. Absent: it is passed as an argument. */
  readonly variable?: string;
  /** Values that libpq accepts. Absent: any. */
  readonly pattern?: RegExp;
}

const createUncheckedParameter = (variable: string): LibpqParameter => ({ variable });

/**
 * The parameters that are passed on (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS). An old libpq ignores
 * variables that it does not know, and rejects such arguments, which is right for `require_auth`: it protects the password.
 */
const passedParameters: Readonly<Record<string, LibpqParameter>> = {
  host: createUncheckedParameter("PGHOST"),
  hostaddr: { variable: "PGHOSTADDR", pattern: /^[\da-f:.%,\w-]+$/i },
  port: { variable: "PGPORT", pattern: /^\d{0,5}(?:,\d{0,5})*$/ },
  dbname: createUncheckedParameter("PGDATABASE"),
  user: createUncheckedParameter("PGUSER"),
  password: createUncheckedParameter("PGPASSWORD"),
  passfile: createUncheckedParameter("PGPASSFILE"),
  application_name: createUncheckedParameter("PGAPPNAME"),
  options: createUncheckedParameter("PGOPTIONS"),
  connect_timeout: { variable: "PGCONNECT_TIMEOUT", pattern: integerPattern },
  sslmode: {
    variable: "PGSSLMODE",
    pattern: createWordPattern("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
  },
  sslrootcert: createUncheckedParameter("PGSSLROOTCERT"),
  sslcert: createUncheckedParameter("PGSSLCERT"),
  sslkey: createUncheckedParameter("PGSSLKEY"),
  sslcrl: createUncheckedParameter("PGSSLCRL"),
  sslcrldir: createUncheckedParameter("PGSSLCRLDIR"),
  sslsni: { variable: "PGSSLSNI", pattern: createWordPattern("0", "1") },
  sslcertmode: { variable: "PGSSLCERTMODE", pattern: createWordPattern("disable", "allow", "require") },
  sslnegotiation: { variable: "PGSSLNEGOTIATION", pattern: createWordPattern("postgres", "direct") },
  ssl_min_protocol_version: { variable: "PGSSLMINPROTOCOLVERSION", pattern: tlsVersionPattern },
  ssl_max_protocol_version: { variable: "PGSSLMAXPROTOCOLVERSION", pattern: tlsVersionPattern },
  min_protocol_version: { variable: "PGMINPROTOCOLVERSION", pattern: protocolPattern },
  max_protocol_version: { variable: "PGMAXPROTOCOLVERSION", pattern: protocolPattern },
  channel_binding: {
    variable: "PGCHANNELBINDING",
    pattern: createWordPattern("disable", "prefer", "require"),
  },
  gssencmode: { variable: "PGGSSENCMODE", pattern: createWordPattern("disable", "prefer", "require") },
  gssdelegation: { variable: "PGGSSDELEGATION", pattern: createWordPattern("0", "1") },
  gsslib: createUncheckedParameter("PGGSSLIB"),
  krbsrvname: createUncheckedParameter("PGKRBSRVNAME"),
  requirepeer: createUncheckedParameter("PGREQUIREPEER"),
  target_session_attrs: {
    variable: "PGTARGETSESSIONATTRS",
    pattern: createWordPattern("any", "read-write", "read-only", "primary", "standby", "prefer-standby"),
  },
  load_balance_hosts: { variable: "PGLOADBALANCEHOSTS", pattern: createWordPattern("disable", "random") },
  require_auth: { pattern: new RegExp(`^${authMethodPattern}(?:,${authMethodPattern})*$`) },
  keepalives: { pattern: integerPattern },
  keepalives_idle: { pattern: integerPattern },
  keepalives_interval: { pattern: integerPattern },
  keepalives_count: { pattern: integerPattern },
  tcp_user_timeout: { pattern: integerPattern },
};

/** Secrets of libpq without a variable. */
const secretNames: readonly string[] = [
  "sslpassword",
  "oauth_client_secret",
  "scram_client_key",
  "scram_server_key",
];

/** Names that may be printed: other parameters of libpq, and parameters of drivers, poolers and providers. */
const printableNames: ReadonlySet<string> = new Set(
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
const sslModeByAlias: Readonly<Record<string, string>> = {
  "no-verify": "require",
  verifyca: "verify-ca",
  verifyfull: "verify-full",
};

/**
 * Chooses the parameters of a connection string that are passed to the client programs of Postgres. Off this machine, TLS is required unless the
 * connection string says otherwise.
 *
 * @param env variables of the user, of which `PGSSLMODE` and `PGSSLROOTCERT` count.
 * @throws ConnectionStringError
 */
export const buildLibpqSettings = (
  parameters: ConnectionParameters,
  env: Readonly<Record<string, string | undefined>>,
): LibpqSettings => {
  const variables: Record<string, string> = {};
  const args: string[] = [];
  const otherNames: string[] = [];
  for (const [name, value] of parameters) {
    const parameter = Object.hasOwn(passedParameters, name) ? passedParameters[name] : undefined;
    if (!parameter) otherNames.push(name);
    else if (value !== "") {
      const libpqValue = name === "sslmode" ? normalizeSslMode(value) : value;
      if (parameter.pattern && !parameter.pattern.test(libpqValue)) {
        throw new ConnectionStringError(
          `its parameter ${name} has a value that libpq does not know`,
          "Correct or remove the parameter.",
        );
      }
      if (parameter.variable) variables[parameter.variable] = libpqValue;
      else args.push(`${name}=${libpqValue}`);
    }
  }
  const { PGHOST: host = "", PGHOSTADDR: address = "", PGPORT: port = "", PGDATABASE: database } = variables;
  const hosts = (host || address).split(",");
  assertHosts(hosts);
  assertPorts(port);
  const isLocal = (address || host)
    .split(",")
    .every((host) => /^[/@]/.test(host) || isLoopbackHostname(bracketIpv6Host(host)));
  const ssl = parameters.get("ssl") ?? "";
  if (!variables["PGSSLMODE"] && /^(?:true|1|on|require)$/i.test(ssl)) variables["PGSSLMODE"] = "require";
  const sslModeInString = variables["PGSSLMODE"];
  if (sslModeInString === undefined) {
    const chosenSslMode = chooseSslMode(env["PGSSLMODE"], isLocal);
    if (chosenSslMode !== undefined) variables["PGSSLMODE"] = chosenSslMode;
  }
  const environmentRootCert = env["PGSSLROOTCERT"];
  if (environmentRootCert) variables["PGSSLROOTCERT"] ??= environmentRootCert;
  // Poolers do not understand its negotiation, which libpq tries where the user has a ticket of Kerberos.
  variables["PGGSSENCMODE"] ??= "disable";
  return {
    variables,
    args: args.length === 0 ? [] : [`--dbname=${args.join(" ")}`],
    displayName: `${hosts.map(bracketIpv6Host).join(",")}${port && `:${port}`}${database ? `/${database}` : ""}`,
    weakSslMode:
      isLocal || sslModeInString === undefined || !isWeakSslMode(sslModeInString)
        ? undefined
        : sslModeInString,
    omittedNames: {
      driverParameters: otherNames
        .flatMap((name) => findPrintableName(name) ?? [])
        .filter((name) => name !== "ssl"),
      secretParameters: otherNames.filter((name) => secretNames.includes(name)),
    },
    unknownCount: otherNames.filter(
      (name) => !secretNames.includes(name) && findPrintableName(name) === undefined,
    ).length,
  };
};

/** Returns the name of a parameter that is known, which Npgsql may write with spaces. */
const findPrintableName = (name: string): string | undefined =>
  [name, name.replaceAll(" ", "")].find((spelling) => printableNames.has(spelling));

const normalizeSslMode = (sslMode: string): string => {
  const lowerCaseMode = sslMode.toLowerCase();
  return sslModeByAlias[lowerCaseMode] ?? lowerCaseMode;
};

const isWeakSslMode = (mode: string): boolean => ["disable", "allow", "prefer"].includes(mode);

/** Returns the mode for a connection string that names none. Undefined is libpq's default. */
const chooseSslMode = (environmentSslMode: string | undefined, isLocal: boolean): string | undefined => {
  const validEnvironmentMode =
    environmentSslMode && passedParameters["sslmode"]?.pattern?.test(environmentSslMode)
      ? environmentSslMode
      : undefined;
  if (isLocal) return validEnvironmentMode;
  return validEnvironmentMode === undefined || isWeakSslMode(validEnvironmentMode)
    ? "require"
    : validEnvironmentMode;
};

const hostPattern = /^(?:[\p{L}\p{N}._-]+|[\da-f:.]+(?:%[\w.-]+)?|[/@].*)$/iu;

const assertHosts = (hosts: readonly string[]): void => {
  if (hosts.join("") === "") throw new ConnectionStringError("it has no host");
  if (!hosts.every((host) => hostPattern.test(host))) {
    throw new ConnectionStringError("its host has a character that no host has");
  }
};

const assertPorts = (ports: string): void => {
  for (const port of ports.split(",").filter((part) => part !== "")) {
    if (Number(port) < 1 || Number(port) > 65_535) {
      throw new ConnectionStringError("its port is not between 1 and 65535");
    }
  }
};

const bracketIpv6Host = (host: string): string =>
  host.includes(":") && !host.startsWith("/") ? `[${host}]` : host;
