import type { DeclaredErrors } from "../command-line/command.js";

const helpCommand = ["dev", "--help"];
const ephemeralCommands = [["dev", "--ephemeral"], helpCommand];

/** The errors of commands that start the platform, with commands that help. */
export const platformErrors: DeclaredErrors = {
  "platform:cannot_listen": { next: [["dev", "--port", "0"], helpCommand] },
  "platform:data_dir_corrupt": { next: ephemeralCommands },
  "platform:data_dir_incompatible": { next: ephemeralCommands },
  "platform:data_dir_in_use": { next: [["dev", "--ephemeral", "--port", "0"], helpCommand] },
  "platform:data_dir_unsafe": { next: ephemeralCommands },
  "platform:data_dir_unwritable": { next: ephemeralCommands },
  "platform:disk_full": { next: [helpCommand] },
  "platform:file_size_limit": { next: [helpCommand] },
  "platform:invalid_oauth_client": { next: [helpCommand] },
  "platform:no_postgres": { next: [helpCommand] },
  "platform:not_installed": { next: [helpCommand] },
  "platform:open_files_limit": { next: [helpCommand] },
  "platform:port_taken": { next: [["dev", "--port", "0"]] },
  "platform:postgres_failed": { next: [helpCommand] },
  "platform:process_limit": { next: [helpCommand] },
  "platform:unsupported_system": { next: [helpCommand] },
};
