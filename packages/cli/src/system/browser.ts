import { existsSync } from "node:fs";
import { buildProgramEnvironment } from "./find-program.js";

/** Files that container runtimes create in every container. */
const containerMarkers = ["/.dockerenv", "/run/.containerenv"];

/** Returns why a browser here could not be redirected back to this process, or undefined when it should work. */
export const findNoBrowserReason = (
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  exists: (path: string) => boolean = existsSync,
): string | undefined => {
  if (env["SSH_CONNECTION"] || env["SSH_TTY"] || env["SSH_CLIENT"]) return "this is an SSH session";
  const containerMark = env["container"] || env["KUBERNETES_SERVICE_HOST"] || containerMarkers.some(exists);
  if (containerMark) return "this is a container";
  const display = env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"] || env["BROWSER"];
  return platform === "linux" && !display ? "there is no display" : undefined;
};

/** Opens a URL in a browser. Returns whether a browser could be started. */
export const launchBrowser = async (url: string): Promise<boolean> => {
  try {
    const { default: open } = await import("open");
    const child = await runInProgramEnvironment(() => open(url));
    child.on("error", () => undefined);
    return true;
  } catch {
    return false;
  }
};

/** Calls a function while this process has the environment that programs get. Use it if the function cannot be given one. */
const runInProgramEnvironment = async <T>(startProgram: () => Promise<T>): Promise<T> => {
  const originalVariables = { ...process.env };
  const programVariables = buildProgramEnvironment(process.env);
  for (const name of Object.keys(originalVariables))
    if (!(name in programVariables)) delete process.env[name];
  Object.assign(process.env, programVariables);
  try {
    return await startProgram();
  } finally {
    for (const name of Object.keys(programVariables))
      if (!(name in originalVariables)) delete process.env[name];
    Object.assign(process.env, originalVariables);
  }
};
