import type { DeclaredErrors } from "../command-line/command.js";

const devHelpWords = ["dev", "--help"];
const ephemeralCommands = [["dev", "--ephemeral"], devHelpWords];

/** The errors of commands that start the platform, with commands that help. */
export const platformErrors: DeclaredErrors = {
  "platform:cannot_listen": { next: [["dev", "--port", "0"], devHelpWords] },
  "platform:data_dir_corrupt": { next: ephemeralCommands },
  "platform:data_dir_incompatible": { next: ephemeralCommands },
  "platform:data_dir_in_use": { next: [["dev", "--ephemeral", "--port", "0"], devHelpWords] },
  "platform:data_dir_unsafe": { next: ephemeralCommands },
  "platform:data_dir_unwritable": { next: ephemeralCommands },
  "platform:disk_full": { next: [devHelpWords] },
  "platform:file_size_limit": { next: [devHelpWords] },
  "platform:invalid_oauth_client": { next: [devHelpWords] },
  "platform:no_postgres": { next: [devHelpWords] },
  "platform:not_installed": { next: [devHelpWords] },
  "platform:open_files_limit": { next: [devHelpWords] },
  "platform:port_taken": { next: [["dev", "--port", "0"]] },
  "platform:postgres_failed": { next: [devHelpWords] },
  "platform:process_limit": { next: [devHelpWords] },
  "platform:record_keys_invalid": { next: ephemeralCommands },
  "platform:record_keys_missing": { next: ephemeralCommands },
  "platform:record_keys_unknown": { next: ephemeralCommands },
  "platform:record_keys_unreadable": { next: ephemeralCommands },
  "platform:unsupported_system": { next: [devHelpWords] },
};
