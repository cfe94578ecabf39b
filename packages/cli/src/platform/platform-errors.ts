import type { DeclaredErrors } from "../command-line/command.js";

const help = ["dev", "--help"];
const withoutDataDir = [["dev", "--ephemeral"], help];

/** The errors of commands that start the platform, with commands that help. */
export const platformErrors: DeclaredErrors = {
  "platform:cannot_listen": { next: [["dev", "--port", "0"], help] },
  "platform:data_dir_corrupt": { next: withoutDataDir },
  "platform:data_dir_incompatible": { next: withoutDataDir },
  "platform:data_dir_in_use": { next: [["dev", "--ephemeral", "--port", "0"], help] },
  "platform:data_dir_unsafe": { next: withoutDataDir },
  "platform:data_dir_unwritable": { next: withoutDataDir },
  "platform:disk_full": { next: [help] },
  "platform:file_size_limit": { next: [help] },
  "platform:invalid_oauth_client": { next: [help] },
  "platform:no_postgres": { next: [help] },
  "platform:not_installed": { next: [help] },
  "platform:open_files_limit": { next: [help] },
  "platform:port_taken": { next: [["dev", "--port", "0"]] },
  "platform:postgres_failed": { next: [help] },
  "platform:process_limit": { next: [help] },
  "platform:unsupported_system": { next: [help] },
};
