/** The declaration of an environment variable of `mgmt`. */
export interface VariableDeclaration {
  readonly meaning: string;
  /** The flag of `mgmt` that sets the same. */
  readonly flag?: string;
}

/** The environment variables that `mgmt` reads and programs of others do not, as its help shows them. */
export const commandVariables = {
  MGMT_BASE_URL: { meaning: "address of the service, without /v1", flag: "--base-url" },
  MGMT_TOKEN: { meaning: "token to send with requests", flag: "--token-file" },
  MGMT_PROFILE: { meaning: "profile to use", flag: "--profile" },
  MGMT_PROJECT_ID: { meaning: "default project of commands", flag: "--project-id" },
  MGMT_WORKSPACE_ID: { meaning: "default workspace of commands", flag: "--workspace-id" },
  MGMT_AUTH_URL: { meaning: "address of the authorization server, for mgmt login", flag: "--auth-url" },
  MGMT_CONFIG_DIR: { meaning: "folder of the profiles file (default: the user's folder for settings)" },
  MGMT_CONTROL_URL: {
    meaning: "address of the control surface, for mgmt dev approvals",
    flag: "--control-url",
  },
  MGMT_CONTROL_SECRET_FILE: {
    meaning: "file with the secret of the control surface",
    flag: "--control-secret-file",
  },
  MGMT_POSTGRES: { meaning: "Postgres that mgmt dev runs: package, system, or the folder of its programs" },
  MGMT_NO_UPDATE_NOTIFIER: {
    meaning: "do not look for a newer version once a day (also NO_UPDATE_NOTIFIER)",
  },
} as const satisfies Record<string, VariableDeclaration>;

/** Name of an environment variable that commands read. */
export type CommandVariable = keyof typeof commandVariables;

/** The environment variables that `mgmt serve` reads. */
export const serveVariables = {
  MGMT_SERVE_DATABASE_URL: { meaning: "connection string of the database with the records" },
  MGMT_SERVE_CLUSTER_URL: { meaning: "connection string of the Postgres server with the databases of users" },
  MGMT_SERVE_KEY_FILE: { meaning: "file with the keys of the records", flag: "--key-file" },
  MGMT_SERVE_LISTEN: { meaning: "HOST:PORT of the API", flag: "--listen" },
  MGMT_SERVE_ADMIN_LISTEN: { meaning: "HOST:PORT of health pages and metrics", flag: "--admin-listen" },
  MGMT_SERVE_BASE_URL: { meaning: "URL of the API for its clients, without /v1", flag: "--base-url" },
} as const satisfies Record<string, VariableDeclaration>;

/** Name of an environment variable that only `mgmt serve` reads. */
export type ServeVariable = keyof typeof serveVariables;

/** An environment variable that one of the packages reads. */
export type EnvironmentVariable = CommandVariable | ServeVariable | "MGMT_MOCK_CONTROL_SECRET";
