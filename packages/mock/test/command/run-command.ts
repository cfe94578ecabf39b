import { run } from "../../src/command/run.js";

/** The line that the command prints when it is ready. */
export interface Ready {
  event: string;
  baseUrl: string;
  token: string;
  workspaceId: string;
  controlSecret?: string;
  replayed?: object;
}

/** Runs the command on a free port until `use` is done. */
export const withCommand = async <T>(
  flags: string[],
  use: (ready: Ready) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> => {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  let ended: Promise<void> = Promise.resolve();
  const ready = await new Promise<Ready>((resolve, reject) => {
    ended = run(["--port=0", ...flags], {
      env,
      stopped,
      print: (text) => resolve(JSON.parse(text)),
    });
    ended.catch(reject);
  });
  try {
    return await use(ready);
  } finally {
    stop();
    await ended;
  }
};

/** Sends a GET to the command. */
export const get = async ({ baseUrl, token }: Ready, path: string) => {
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  const body: { data: { name: string }[]; error?: { code: string } } = await response.json();
  return { status: response.status, body };
};

/** Returns the error of a command that does not start. */
export const failure = (flags: string[]): Promise<string> =>
  withCommand(flags, () => Promise.resolve("started")).catch((error: unknown) => String(error));
