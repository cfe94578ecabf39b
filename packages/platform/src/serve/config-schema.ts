/** The settings of a service, as the configuration file has them. `serveSettingsSchema` describes each. */
export interface ServeSettings {
  databaseUrl: string;
  clusterUrl?: string;
  keyFile: string;
  listen?: string;
  adminListen?: string;
  baseUrl?: string;
  databaseAddress?: string;
  databaseSslMode?: (typeof databaseSslModes)[number];
  trustProxy?: boolean;
  tls?: { certFile: string; keyFile: string };
  limits?: { requests?: number | null; windowSeconds?: number; recordsConnections?: number };
  drainSeconds?: number;
  logLevel?: (typeof logLevels)[number];
  unknownFields?: (typeof unknownFieldsActions)[number];
  errorCodes?: (typeof errorCodeSets)[number];
}

/** Values of `sslmode`: https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION. */
const databaseSslModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
const unknownFieldsActions = ["ignore", "refuse"] as const;
const errorCodeSets = ["contract", "public"] as const;

const hostAndPort = "^(?:\\[[0-9a-fA-F:.]+\\]|[^\\s:/\\[\\]]+):[0-9]{1,5}$";
const httpUrl = "^https?://[^\\s?#@/]+(?:/[^\\s?#]*)?$";
const path = { type: "string", minLength: 1 } as const;

/**
 * The JSON Schema of the configuration file, which `mgmt serve schema` prints. See https://json-schema.org/draft-07.
 */
export const serveSettingsSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Settings of mgmt serve",
  type: "object",
  additionalProperties: false,
  required: ["databaseUrl", "keyFile"],
  properties: {
    databaseUrl: {
      type: "string",
      description: "Connection string of the database with the records (MGMT_SERVE_DATABASE_URL).",
    },
    clusterUrl: {
      type: "string",
      description:
        "Connection string of the Postgres server with the databases of users (MGMT_SERVE_CLUSTER_URL). Default: the server of databaseUrl.",
    },
    keyFile: {
      ...path,
      description:
        "File with the keys that encrypt secrets in the records, one per line (MGMT_SERVE_KEY_FILE).",
    },
    listen: {
      type: "string",
      pattern: hostAndPort,
      description: "HOST:PORT of the API (MGMT_SERVE_LISTEN). Default: 127.0.0.1:4300.",
    },
    adminListen: {
      type: "string",
      pattern: hostAndPort,
      description:
        "HOST:PORT of /healthz, /readyz and /metrics (MGMT_SERVE_ADMIN_LISTEN). Default: the first two are at the address of the API, and there are no metrics.",
    },
    baseUrl: {
      type: "string",
      pattern: httpUrl,
      description:
        "URL of the API for its clients, without /v1 (MGMT_SERVE_BASE_URL). Default: the address of listen.",
    },
    databaseAddress: {
      type: "string",
      pattern: hostAndPort,
      description: "HOST:PORT of the databases in connection strings. Default: that of clusterUrl.",
    },
    databaseSslMode: {
      type: "string",
      enum: databaseSslModes,
      description:
        "The sslmode in connection strings. Default: require if the service itself reaches the Postgres server of the databases with TLS, and disable otherwise.",
    },
    trustProxy: {
      type: "boolean",
      description: "Whether a proxy in front of the service sets X-Forwarded-For. Default: false.",
    },
    tls: {
      type: "object",
      additionalProperties: false,
      required: ["certFile", "keyFile"],
      properties: {
        certFile: {
          ...path,
          description: "File with the certificate, and those between it and its authority (PEM).",
        },
        keyFile: { ...path, description: "File with the private key of the certificate (PEM)." },
      },
      description: "Serves HTTPS. Default: HTTP.",
    },
    limits: {
      type: "object",
      additionalProperties: false,
      description: "What clients and this server may use.",
      properties: {
        requests: {
          type: ["integer", "null"],
          minimum: 1,
          description: "Requests that each principal may send in a window; null for no limit. Default: 600.",
        },
        windowSeconds: {
          type: "integer",
          minimum: 1,
          maximum: 86_400,
          description: "Length of a window in seconds. Default: 60.",
        },
        recordsConnections: {
          type: "integer",
          minimum: 3,
          maximum: 100,
          description: "Connections of this server to the records. Default: 10.",
        },
      },
    },
    drainSeconds: {
      type: "integer",
      minimum: 0,
      maximum: 3_600,
      description: "How long requests in progress may take after SIGTERM, in seconds. Default: 30.",
    },
    logLevel: {
      type: "string",
      enum: logLevels,
      description: "The least important lines in the log. Default: info.",
    },
    unknownFields: {
      type: "string",
      enum: unknownFieldsActions,
      description: "How to handle body fields that the API does not have. Default: ignore.",
    },
    errorCodes: {
      type: "string",
      enum: errorCodeSets,
      description:
        "Codes of errors: those of this API's contract, or those of Prisma's Management API. Default: contract.",
    },
  } satisfies Record<keyof ServeSettings, object>,
} as const;
