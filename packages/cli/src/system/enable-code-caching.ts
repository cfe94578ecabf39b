import { lstatSync } from "node:fs";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { getCacheFolder, isProtectedFolder } from "../files/cache-folder.js";

/** Node.js has this since 22.8. The types are for Node.js 20. */
type NodeModuleApi = typeof import("node:module") & { enableCompileCache?(folder: string): unknown };

/**
 * Lets Node.js keep the code that it compiles among the caches of the user, which starts the next command faster. Does nothing where
 * another user could have put other code in its place.
 *
 * @returns the folder for code that Node.js before 22.8 does not cache; undefined if there is nothing else to cache.
 */
export const enableCodeCaching = (env: NodeJS.ProcessEnv): string | undefined => {
  // Node.js has this variable, too, but the folder would be created.
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const modules: NodeModuleApi | undefined = process.getBuiltinModule?.("node:module");
  try {
    const folder = prepareCodeFolder(env);
    if (folder === undefined || typeof modules?.enableCompileCache !== "function") return folder;
    modules.enableCompileCache(folder);
  } catch {
    // Every run compiles the code again.
  }
  return undefined;
};

/** Returns the folder of this user alone, which is created. Throws if it cannot be. */
const prepareCodeFolder = (env: NodeJS.ProcessEnv): string | undefined => {
  const folder = getCacheFolder(env, "code");
  if (!isProtectedFolder(folder)) return undefined;
  createDirectory(folder);
  // Another user may have created one of them meanwhile.
  if (!isProtectedFolder(folder)) return undefined;
  // The user may have linked it to a folder that others can write.
  return lstatSync(folder).isDirectory() ? folder : undefined;
};
