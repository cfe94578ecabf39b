import { describe, expect, it, onTestFinished } from "vitest";
import { ApiError, InvalidArgumentError, createClient, isApiError, registerApiError } from "@mgmt/sdk";
import { registeredApiErrors } from "./register-api-error.js";
import { answering, thrown } from "../../test/server.js";

describe("the registry of codes", () => {
  class SeatsExceededError extends ApiError {
    static override readonly kind = "seats:exceeded";
    static override readonly status = 409;
    static override readonly fields = ["quota"];
    declare readonly quota: number;
  }

  it("creates errors of an unknown code with the program's class", async () => {
    const body = { error: { code: "seats:exceeded", message: "Too many.", quota: 7 } };
    const before = await thrown(
      createClient({ baseUrl: (await answering(body, 409)).baseUrl, token: false }).me.get(),
    );
    expect(before).toMatchObject({ name: "ConflictError", code: "seats:exceeded" });
    registerApiError(SeatsExceededError);
    onTestFinished(() => void registeredApiErrors.delete("seats:exceeded"));
    const { baseUrl } = await answering(body, 409);
    const error = await thrown(createClient({ baseUrl, token: false }).me.get());
    expect(error).toBeInstanceOf(SeatsExceededError);
    expect(error).toMatchObject({ name: "SeatsExceededError", quota: 7 });
    expect(isApiError(error, { unlisted: "seats:exceeded" })).toBe(true);
    const elsewhere = await thrown(
      createClient({ baseUrl: (await answering(body, 404)).baseUrl, token: false }).me.get(),
    );
    expect(elsewhere).not.toBeInstanceOf(SeatsExceededError);
  });

  it("refuses a class that forgets to say of which code it is", () => {
    class Forgetful extends ApiError {}
    expect(() => registerApiError(Forgetful)).toThrowError("errorClass must have its own static `kind`");
    class Inheriting extends SeatsExceededError {}
    expect(() => registerApiError(Inheriting)).toThrowError(InvalidArgumentError);
  });
});
