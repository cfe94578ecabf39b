import { expect, it } from "vitest";
import { ConnectionError } from "../../errors/local-errors.js";
import { AuthError, type AuthErrorCode, TokenStoreError } from "../auth-error.js";
import { closingPages, createFailurePage } from "./closing-texts.js";

const init = { hint: "Try again." };

it.each<[AuthErrorCode, string, string]>([
  ["auth:denied", "none", "You denied access"],
  ["auth:timeout", "bad", "The login took too long"],
  ["auth:issuer_mismatch", "bad", "The response came from another server"],
  ["auth:login_failed", "bad", "The login failed"],
])("shows how a login ended with %s", (code, outcome, title) => {
  const page = createFailurePage(new AuthError(code, "No", init));
  expect(page).toMatchObject({ outcome, title, error: { code, message: "No" } });
});

it("says that a login could not be saved, or not completed after it was granted", () => {
  const unsaved = createFailurePage(new TokenStoreError("auth:store_read_only", "No", init));
  expect(unsaved).toMatchObject({ outcome: "bad", title: "The login could not be saved" });
  const lost = createFailurePage(
    new ConnectionError({ method: "GET", url: "https://a.test/?a=b" }, "failed"),
  );
  expect(lost.title).toBe("The login could not be completed");
});

it.each([new Error("hunter2"), "hunter2", undefined])("quotes no error from outside the SDK: %s", (error) => {
  expect(createFailurePage(error)).toBe(closingPages.stopped);
});
