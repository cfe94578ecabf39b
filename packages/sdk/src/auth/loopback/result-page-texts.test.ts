import { expect, it } from "vitest";
import { ConnectionError } from "../../errors/local-errors.js";
import { AuthError, type AuthErrorCode, TokenStoreError } from "../auth-error.js";
import { resultPages, createErrorPage } from "./result-page-texts.js";

const init = { hint: "Try again." };

it.each<[AuthErrorCode, string, string]>([
  ["auth:denied", "neutral", "You denied access"],
  ["auth:timeout", "error", "The login took too long"],
  ["auth:issuer_mismatch", "error", "The response came from another server"],
  ["auth:login_failed", "error", "The login failed"],
])("shows how a login ended with %s", (code, outcome, title) => {
  const page = createErrorPage(new AuthError(code, "No", init));
  expect(page).toMatchObject({ outcome, title, error: { code, message: "No" } });
});

it("says that a login could not be saved, or not completed after it was granted", () => {
  const unsaved = createErrorPage(new TokenStoreError("auth:store_read_only", "No", init));
  expect(unsaved).toMatchObject({ outcome: "error", title: "The login could not be saved" });
  const lost = createErrorPage(new ConnectionError({ method: "GET", url: "https://a.test/?a=b" }, "failed"));
  expect(lost.title).toBe("The login could not be completed");
});

it.each([new Error("hunter2"), "hunter2", undefined])("quotes no error from outside the SDK: %s", (error) => {
  expect(createErrorPage(error)).toBe(resultPages.stopped);
});
