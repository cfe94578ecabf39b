import { MgmtError } from "../../errors/mgmt-error.js";
import { AuthError, type AuthErrorCode, TokenStoreError } from "../auth-error.js";

/** Content of the page that the browser shows after the callback: the outcome, the next step, and the error message. */
export interface ResultPage {
  /** Selects the icon above the title. */
  outcome: "success" | "error" | "neutral";
  title: string;
  text: string;
  /** Error details for troubleshooting. */
  error?: { code: string; message: string };
}

export const resultPages = {
  done: {
    outcome: "success",
    title: "You are logged in",
    text: "You can close this window and return to the program.",
  },
  unrelated: {
    outcome: "neutral",
    title: "This page is not part of the login",
    text: "The program is still waiting for the login. Continue in the window where you started it.",
  },
  stopped: {
    outcome: "error",
    title: "The login was stopped",
    text: "The program is no longer waiting. Close this window, and start again in the program if you still want to log in.",
  },
} as const satisfies Record<string, ResultPage>;

type ResultPageText = Pick<ResultPage, "title" | "text"> & { outcome?: "neutral" };

const textsByErrorCode: Partial<Record<AuthErrorCode, ResultPageText>> = {
  "auth:denied": {
    outcome: "neutral",
    title: "You denied access",
    text: "The program got no access, and nothing was changed. You can close this window, and log in again at any time.",
  },
  "auth:timeout": {
    title: "The login took too long",
    text: "The server did not respond in time. Close this window and start again in the program.",
  },
  "auth:issuer_mismatch": {
    title: "The response came from another server",
    text: "It did not come from the server that the program uses, so it was ignored. Close this window and start again in the program.",
  },
};

const notSavedText: ResultPageText = {
  title: "The login could not be saved",
  text: "You granted access, but the program could not store the login. Close this window; the program shows what to fix.",
};

const notCompletedText: ResultPageText = {
  title: "The login could not be completed",
  text: "You granted access, but a later step failed. Close this window; the program shows the error.",
};

const notAcceptedText: ResultPageText = {
  title: "The login failed",
  text: "The program could not complete it with the server. Close this window and start again in the program.",
};

/**
 * Returns the page for a login that failed with this error. Errors from outside the SDK are not quoted, because they
 * may contain secrets.
 */
export const createErrorPage = (error: unknown): ResultPage => {
  if (!(error instanceof MgmtError)) return resultPages.stopped;
  const { code, message } = error;
  return { outcome: "error", ...createErrorText(error), error: { code, message } };
};

const createErrorText = (error: MgmtError): ResultPageText => {
  if (error instanceof TokenStoreError) return notSavedText;
  return error instanceof AuthError ? (textsByErrorCode[error.code] ?? notAcceptedText) : notCompletedText;
};
