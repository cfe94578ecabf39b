import { describe, expectTypeOf, it } from "vitest";
import {
  type ApiPromise,
  type Approval,
  type ApprovalProgress,
  type ApprovalStatus,
  type AwaitedResource,
  type Database,
  type DeploymentDetails,
  type WaitFailedCode,
  WaitFailedError,
  type WaitOptions,
  WaitTimeoutError,
  createClient,
} from "@mgmt/sdk";

const client = createClient({ baseUrl: "https://x.test", token: false });

describe("the types of waits", () => {
  it("match the resource that is waited for", () => {
    expectTypeOf(client.agentApprovals.wait).parameters.toEqualTypeOf<
      [approvalId: string, options?: WaitOptions<Approval> | undefined]
    >();
    expectTypeOf(client.agentApprovals.wait).returns.toEqualTypeOf<Promise<Approval>>();
    expectTypeOf(client.databases.waitUntilReady).returns.toEqualTypeOf<Promise<Database>>();
    expectTypeOf(client.deployments.waitUntilRunning).returns.toEqualTypeOf<Promise<DeploymentDetails>>();
  });

  it("leave the generated types unchanged", () => {
    expectTypeOf(client.agentApprovals.get).returns.toEqualTypeOf<ApiPromise<Approval>>();
    expectTypeOf(client.databases.backups.list).parameter(0).toEqualTypeOf<string>();
  });

  it("narrow errors to what they carry", () => {
    const error: unknown = undefined;
    if (error instanceof WaitFailedError) expectTypeOf(error.code).toEqualTypeOf<WaitFailedCode>();
    if (error instanceof WaitTimeoutError) {
      expectTypeOf(error.code).toEqualTypeOf<"wait:timeout">();
      expectTypeOf(error.lastStatus).toEqualTypeOf<string | undefined>();
      expectTypeOf(error.lastSeen()).toEqualTypeOf<AwaitedResource | undefined>();
    }
  });

  it("accept true, false or options, from the client and from a call", () => {
    createClient({ baseUrl: "https://x.test", token: false, waitForApproval: true });
    createClient({
      baseUrl: "https://x.test",
      token: false,
      waitForApproval: {
        onProgress: (progress) => {
          expectTypeOf(progress).toEqualTypeOf<ApprovalProgress>();
          expectTypeOf(progress.status).toEqualTypeOf<ApprovalStatus>();
        },
      },
    });
    const refused = [
      // @ts-expect-error A wait has one deadline, in milliseconds.
      () => client.databases.delete("db_1", { waitForApproval: { timeout: 5 } }),
      // @ts-expect-error The callback receives the resource that is waited for.
      () => client.databases.waitUntilReady("db_1", { onProgress: (approval: Approval) => void approval }),
    ];
    expectTypeOf(refused).toExtend<(() => unknown)[]>();
  });
});
