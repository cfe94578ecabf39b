import { MgmtError } from "../../errors/mgmt-error.js";
import { AuthError, type AuthErrorCode, TokenStoreError } from "../auth-error.js";

/** Content of the page that the browser shows after the callback: what happened, what to do, and the error message. */
export interface ClosingPage {
  /** Selects the sign above the title. */
  mood: "good" | "bad" | "none";
  title: string;
  text: string;
  /** Error details for troubleshooting. */
  error?: { code: string; message: string };
}

export const pages = {
  done: {
    mood: "good",
    title: "You are logged in",
    text: "You can close this window and go back to the program.",
  },
  stranger: {
    mood: "none",
    title: "Nothing to see here",
    text: "This is not the answer to the login that the program waits for. It goes on waiting: log in where you have begun.",
  },
  stopped: {
    mood: "bad",
    title: "The login was stopped",
    text: "The program has stopped waiting. Close this window, and begin again in the program if you still want to log in.",
  },
} as const satisfies Record<string, ClosingPage>;

type Words = Pick<ClosingPage, "title" | "text"> & { mood?: "none" };

const words: Partial<Record<AuthErrorCode, Words>> = {
  "auth:denied": {
    mood: "none",
    title: "You did not allow it",
    text: "The program got no access, and nothing was changed. You can close this window, and log in again whenever you like.",
  },
  "auth:timeout": {
    title: "The login took too long",
    text: "The server did not answer in time. Close this window, and begin again in the program.",
  },
  "auth:issuer_mismatch": {
    title: "This answer came from somewhere else",
    text: "It is not from the server that the program asked, so it was not used. Close this window, and begin again in the program.",
  },
};

const unkept: Words = {
  title: "The login could not be kept",
  text: "You said yes, but the program cannot store what it was given. Close this window; the program says what to mend.",
};

const unfinished: Words = {
  title: "The login could not be finished",
  text: "You said yes, but something failed behind it. Close this window; the program says what.",
};

const otherwise: Words = {
  title: "The login failed",
  text: "The program could not finish it with the server. Close this window, and begin again in the program.",
};

/**
 * Returns the page for a login that failed with this error. Errors from outside the SDK are not quoted, because they
 * may contain secrets.
 */
export const failurePage = (error: unknown): ClosingPage => {
  if (!(error instanceof MgmtError)) return pages.stopped;
  const { code, message } = error;
  return { mood: "bad", ...wordsFor(error), error: { code, message } };
};

const wordsFor = (error: MgmtError): Words => {
  if (error instanceof TokenStoreError) return unkept;
  return error instanceof AuthError ? (words[error.code] ?? otherwise) : unfinished;
};
