import { expectTypeOf, it } from "vitest";
import type { optionRules } from "./option-rules.js";
import type {
  ApprovalWaitOptions,
  Call,
  ClientOptions,
  ConnectionStringOptions,
  ListOptions,
  RequestOptions,
  WaitOptions,
} from "@mgmt/sdk";
import type { AnyEnsureOptions } from "../ensure/ensure-result.js";
import type { NodeTransportOptions } from "@mgmt/sdk/node";

type Checked<Of extends keyof typeof optionRules> = keyof (typeof optionRules)[Of];

/** The compiler checks the equality of the types. */
it("checks every option that has a type, and no other", () => {
  expectTypeOf<Checked<"a client">>().toEqualTypeOf<keyof ClientOptions>();
  expectTypeOf<Checked<"a call">>().toEqualTypeOf<keyof RequestOptions>();
  expectTypeOf<Checked<"withOptions">>().toEqualTypeOf<keyof RequestOptions>();
  expectTypeOf<Checked<"a list">>().toEqualTypeOf<keyof ListOptions>();
  expectTypeOf<Checked<"an ensure">>().toEqualTypeOf<keyof AnyEnsureOptions>();
  expectTypeOf<Checked<"a wait">>().toEqualTypeOf<keyof WaitOptions<unknown>>();
  expectTypeOf<Checked<"waitForApproval">>().toEqualTypeOf<keyof ApprovalWaitOptions>();
  expectTypeOf<Checked<"toArray">>().toEqualTypeOf<"limit">();
  expectTypeOf<Checked<"connectionString">>().toEqualTypeOf<keyof ConnectionStringOptions>();
  expectTypeOf<Checked<"nodeTransport">>().toEqualTypeOf<keyof NodeTransportOptions>();
  expectTypeOf<Checked<"a request">>().toEqualTypeOf<keyof Call>();
});
