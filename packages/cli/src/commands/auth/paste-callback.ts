import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Context } from "../../input/context.js";
import { emptyPasteError, invalidPasteError } from "../../errors/access-errors.js";
import { ask, isAtTerminal } from "../../input/ask.js";
import { isLoopbackHostname } from "../../sdk/sdk.js";
import { type LoginUrl, formatLoginUrl } from "./open-login-page.js";

/** Redirect URI for logins without a loopback server: the user pastes the URL that the browser is redirected to. */
export const manualRedirectUri = "http://127.0.0.1/callback";

/** Prints the login URL, and reads the callback URL or the code in it: from a prompt, or from one line of input. */
export const readPastedCallback = async (
  loginLink: LoginUrl,
  context: Pick<Context, "stdin" | "stderr" | "signal" | "output">,
): Promise<string | { code: string }> => {
  const { url } = loginLink;
  const machineHint = isLoopbackHostname(new URL(url).hostname) ? "on this machine" : "on any machine";
  const message =
    `Open this URL in a browser ${machineHint}:\n\n  ${formatLoginUrl(loginLink, context)}\n\n` +
    "After you allow the login, the browser is redirected to a URL on 127.0.0.1 that does not load. Copy that URL.";
  context.output.notice({ code: "login:address", message, url }, { multiline: true });
  const pastedText = (isAtTerminal(context) ? await promptForPaste(context) : await readLine(context)).trim();
  if (pastedText === "") throw emptyPasteError();
  if (!isCallbackInput(pastedText)) throw invalidPasteError();
  return isBareCode(pastedText)
    ? { code: pastedText }
    : pastedText.replace(/^(?=(?:code|error|state|iss)=)/, "?");
};

const isBareCode = (pastedText: string): boolean => /^[\w~.-]+$/.test(pastedText);
const isCallbackInput = (pastedText: string): boolean =>
  isBareCode(pastedText) || /^\S*=\S*$/.test(pastedText);

const promptForPaste = (context: Pick<Context, "stdin" | "stderr" | "signal">): Promise<string> =>
  ask(context, ({ input }, terminal) =>
    input(
      { message: "Paste the URL, or the code in it:", required: true, validate: validatePaste },
      terminal,
    ),
  );

const validatePaste = (pastedText: string): true | string =>
  isCallbackInput(pastedText.trim()) || invalidPasteError().message;

const readLine = async ({ stdin, signal }: Pick<Context, "stdin" | "signal">): Promise<string> => {
  const lines = createInterface({ input: stdin });
  try {
    const closed = once(lines, "close", { signal }).then(() => [""]);
    // `once` resolves to the arguments of the event: for "line", one string.
    const [line] = (await Promise.race([once(lines, "line", { signal }), closed])) as [string];
    return line;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    lines.close();
    stdin.unref?.();
  }
};
