export type ServeErrorCode =
  | "serve:already_initialized"
  | "serve:approval_refused"
  | "serve:cannot_listen"
  | "serve:clock_differs"
  | "serve:config_invalid"
  | "serve:config_unreadable"
  | "serve:database_refused"
  | "serve:database_unreachable"
  | "serve:key_file_invalid"
  | "serve:key_file_unreadable"
  | "serve:key_file_unwritable"
  | "serve:keys_differ"
  | "serve:keys_in_use"
  | "serve:keys_unknown"
  | "serve:not_a_member"
  | "serve:not_found"
  | "serve:not_initialized"
  | "serve:pooler"
  | "serve:schema_newer"
  | "serve:schema_outdated"
  | "serve:secret_altered"
  | "serve:servers_older"
  | "serve:settings_differ"
  | "serve:standby"
  | "serve:unsupported_version"
  | "serve:value_invalid";

/** The code of an error that a service can have, its own or of its cluster. */
export type ServiceErrorCode =
  | ServeErrorCode
  | "cluster:databases_unrecorded"
  | "cluster:lacks_privileges"
  | "cluster:other_installation"
  | "cluster:records_incomplete"
  | "cluster:records_open"
  | "cluster:records_outdated"
  | "cluster:session_unresponsive"
  | "cluster:stamp_unknown";

/** Reports why the service cannot run. `message` describes the problem, and `hint` how to fix it. */
export class ServeError extends Error {
  override readonly name = "ServeError";

  constructor(
    readonly code: ServeErrorCode,
    message: string,
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const schemaHint = "mgmt serve schema prints all settings.";

/** Builds every error of the service. */
export const serveErrors = {
  configUnreadable: (path: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:config_unreadable",
      `The configuration file ${path} cannot be read: ${problem}`,
      "Pass the path of a YAML or JSON file with --config.",
      { cause },
    ),

  /** @param problems one for each setting, without values. */
  configInvalid: (source: string, problems: readonly string[]) =>
    new ServeError(
      "serve:config_invalid",
      `The configuration is not valid (${source}): ${problems.join("; ")}`,
      schemaHint,
    ),

  addressInFlag: (flag: string, variable: string) =>
    new ServeError(
      "serve:config_invalid",
      `${flag} is a connection string, which other accounts of this machine can see in the list of processes`,
      `Set ${variable}, or write the address into the configuration file.`,
    ),

  keyFileUnreadable: (path: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:key_file_unreadable",
      `The key file ${path} cannot be read: ${problem}`,
      "Restore it from your copy: nothing else can decrypt the secrets in the records. For a new service, mgmt serve init creates it.",
      { cause },
    ),

  keyFileUnwritable: (path: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:key_file_unwritable",
      `The key file ${path} cannot be created: ${problem}`,
      "Nothing was changed. Create its folder, and allow this account to write there.",
      { cause },
    ),

  keyFileInvalid: (path: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:key_file_invalid",
      `The key file ${path} is not valid: ${problem}`,
      "It contains one key per line, 32 bytes in base64. The first one encrypts, and all decrypt.",
      { cause },
    ),

  keysUnknown: (path: string, keyIds: readonly string[], cause?: unknown) =>
    new ServeError(
      "serve:keys_unknown",
      `The records were encrypted with keys that ${path} does not contain: ${keyIds.join(", ")}`,
      "Use the key file of this service, or put a key that was removed back into it, as its last line. Nothing else can decrypt the secrets in the records.",
      { cause },
    ),

  /** @param serverIds the ids of the servers that encrypt with another key. */
  keysDiffer: (path: string, keyId: string, serverIds: readonly string[]) =>
    new ServeError(
      "serve:keys_differ",
      `Servers encrypt with another key than ${keyId}, the first one in ${path}: ${serverIds.join(", ")}`,
      "Put this key first into the key file of every server. A running server reads its file every 5 seconds. Then run the command again.",
    ),

  keysInUse: (path: string, keyIds: readonly string[]) =>
    new ServeError(
      "serve:keys_in_use",
      `Some secrets in the records are still encrypted with other keys in ${path} than the first one: ${keyIds.join(", ")}`,
      "Keep these keys in the file, and run the command again when fewer changes are made.",
    ),

  secretAltered: (problem: string, cause?: unknown) =>
    new ServeError(
      "serve:secret_altered",
      `${problem}. All others are encrypted with the first key`,
      "Delete this resource through the API, or restore its row from a backup of the records. Keep all keys in the file until then.",
      { cause },
    ),

  databaseUnreachable: (address: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:database_unreachable",
      `Postgres at ${address} cannot be reached: ${problem}`,
      "Check the address, the network and that Postgres runs.",
      { cause },
    ),

  databaseRejected: (address: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:database_refused",
      `Postgres at ${address} refused the connection: ${problem}`,
      "Check the user, the password, the name of the database and pg_hba.conf.",
      { cause },
    ),

  cannotCreateDatabase: (database: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:database_refused",
      `The database ${database} cannot be created: ${problem}`,
      "Let an administrator of Postgres run what mgmt serve check prints.",
      { cause },
    ),

  unsupportedVersion: (address: string, version: string) =>
    new ServeError(
      "serve:unsupported_version",
      `Postgres at ${address} has version ${version}`,
      "Use Postgres 14 or newer.",
    ),

  pooler: (address: string) =>
    new ServeError(
      "serve:pooler",
      `A connection pooler answers at ${address}`,
      "Use the address of Postgres itself: the service needs sessions of its own for locks.",
    ),

  standby: (address: string) =>
    new ServeError(
      "serve:standby",
      `Postgres at ${address} is a standby, which accepts no changes`,
      "Use the address of the primary, or one that always leads to it.",
    ),

  clockDiffers: (seconds: number, maxSeconds: number) =>
    new ServeError(
      "serve:clock_differs",
      `The clock of this machine is ${String(Math.abs(seconds))} seconds ${seconds > 0 ? "ahead of" : "behind"} that of Postgres`,
      `Synchronize both clocks, for example with NTP. At most ${String(maxSeconds)} seconds are allowed.`,
    ),

  notInitialized: (database: string) =>
    new ServeError(
      "serve:not_initialized",
      `The database ${database} has no records of a service`,
      "Check the address. To create a new service there, run mgmt serve init.",
    ),

  alreadyInitialized: (database: string) =>
    new ServeError(
      "serve:already_initialized",
      `The database ${database} has the records of a service already`,
      "Nothing was changed. mgmt serve workspaces create and mgmt serve tokens create add to them.",
    ),

  schemaOutdated: (database: string, cause?: unknown) =>
    new ServeError(
      "serve:schema_outdated",
      `The records in the database ${database} were made by an earlier version`,
      "Run mgmt serve migrate. Servers of the version before continue to work.",
      { cause },
    ),

  schemaNewer: (database: string, cause?: unknown) =>
    new ServeError(
      "serve:schema_newer",
      `The records in the database ${database} were made by a newer version that this one does not understand`,
      "Install the version that the other servers have.",
      { cause },
    ),

  /** @param servers those that could not use the new schema. */
  serversOlder: (servers: readonly { readonly id: string; readonly version: string }[], cause?: unknown) =>
    new ServeError(
      "serve:servers_older",
      `Servers run whose versions the new schema of the records does not support: ${servers
        .map(({ id, version }) => `${id} (version ${version})`)
        .join(", ")}`,
      "Nothing was changed. Replace these servers with the last version before this one, or stop them, and run the command again. mgmt serve status lists the servers that run; one that was killed counts for up to 20 seconds.",
      { cause },
    ),

  settingsDiffer: (names: readonly string[], cause?: unknown) =>
    new ServeError(
      "serve:settings_differ",
      `Other servers of this service run with other values of these settings: ${names.join(", ")}`,
      `Give ${names.join(" and ")} the values that those servers have: a setting that is left out has its default. To change a shared setting, stop all servers (mgmt serve status lists them), change it for all, and start them.`,
      { cause },
    ),

  /** @param listCommand prints those that exist. */
  notFound: (kind: string, id: string, listCommand: string) =>
    new ServeError("serve:not_found", `There is no ${kind} ${id}`, `${listCommand} shows those that exist.`),

  notAMember: (sponsor: string) =>
    new ServeError(
      "serve:not_a_member",
      `${sponsor} is not a member of a workspace, so that nobody could decide the approvals of the agent`,
      "Pass the email address of a member. mgmt serve workspaces list shows them.",
    ),

  approvalRejected: (problem: string, cause?: unknown) =>
    new ServeError(
      "serve:approval_refused",
      problem,
      "Nothing was changed. mgmt serve approvals list shows those that are pending.",
      { cause },
    ),

  /** @param requirement what the value must be. */
  valueInvalid: (name: string, requirement: string) =>
    new ServeError(
      "serve:value_invalid",
      `${name} must be ${requirement}`,
      "Nothing was changed. Correct it.",
    ),

  cannotListen: (address: string, problem: string, cause?: unknown) =>
    new ServeError(
      "serve:cannot_listen",
      `The service cannot listen on ${address}: ${problem}`,
      "Choose another address with --listen HOST:PORT.",
      { cause },
    ),
};
