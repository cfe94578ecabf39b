import { readFile } from "node:fs/promises";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import { isObject } from "../../json/json-path.js";
import type { ManifestEntry, ExistingEntry } from "../../manifest/entry.js";
import { assignRegions } from "../../manifest/assign-regions.js";
import { createPlan } from "../../manifest/plan.js";
import type { Manifest } from "../../manifest/read-manifest.js";
import { readState, type ServiceState } from "../../manifest/read-state.js";
import { StepRunner } from "../../manifest/step-runner.js";
import { createClientFor } from "../../service/connect.js";
import { callControl, type ControlAccess } from "../../platform/control.js";
import { loadPlatform } from "../../platform/load-platform.js";
import type { RehearsedFault } from "./fault.js";

/** An ephemeral service, in which a command is rehearsed. */
export class LocalService {
  private constructor(
    readonly baseUrl: string,
    readonly token: string,
    readonly workspaceId: string,
    readonly stop: () => Promise<void>,
    private readonly client: MgmtClient,
    private readonly control: ControlAccess,
    private readonly context: Context,
  ) {}

  static async start(context: Context): Promise<LocalService> {
    const { startPlatform } = await loadPlatform(context);
    const { output, signal } = context;
    const onLog = (message: string): void => output.notice({ code: "dev:log", message });
    const { ready, stop } = await startPlatform({ port: 0, ephemeral: true, onLog, signal });
    const { baseUrl, token, workspaceId, controlUrl, controlSecretFile } = ready;
    const secret = (await readFile(controlSecretFile, "utf8")).trim();
    const client = await createClientFor({ value: baseUrl, from: "mgmt dev" }, token, context);
    return new LocalService(baseUrl, token, workspaceId, stop, client, { url: controlUrl, secret }, context);
  }

  /** Empties the service, and creates the resources of a manifest. Returns the ids of the projects. */
  async loadManifest({ entries, locateEntry }: Manifest): Promise<string[]> {
    await this.removeFaults();
    await callControl(this.control, "POST", "/reset", {}, this.context);
    const emptyState: ServiceState = { entries: [], unnamed: [] };
    const draftPlan = createPlan({ entries: entries.map(removeExternalSource), locateEntry }, emptyState, {
      baseUrl: this.baseUrl,
      prune: false,
    });
    const { plan } = await assignRegions(draftPlan, this.client, this.context.signal);
    const runner = new StepRunner(this.client, plan, this.context, false);
    const projectIds: string[] = [];
    for (const step of plan.steps) {
      const id = await runner.run(step);
      if (step.resource === "project") projectIds.push(id);
      if (step.resource !== "database") continue;
      // Finishes the provisioning immediately.
      await callControl(this.control, "PUT", `/databases/${id}/status`, { status: "ready" }, this.context);
    }
    return projectIds;
  }

  /** Returns everything in the service, without the names that it has generated: they differ from run to run. */
  async readCurrentState(): Promise<ServiceState> {
    const { signal } = this.context;
    const { entries, unnamed } = await readState(this.client, {}, signal);
    const requests = await callControl(this.control, "GET", "/requests", undefined, this.context);
    const sentStrings = new Set(collectStrings(requests));
    const omitGeneratedName = (entry: ExistingEntry): ExistingEntry => {
      const { name, ...fields } = entry.fields;
      return typeof name !== "string" || sentStrings.has(name) ? entry : { ...entry, fields };
    };
    return { entries: entries.map(omitGeneratedName), unnamed };
  }

  /** Makes a request of the command fail. */
  async addFault({ operation, status, nth }: RehearsedFault): Promise<void> {
    const failure = status === "lost" ? { drop: "after" } : { status };
    const fault = { operation, ...failure, skip: nth - 1, times: 1 };
    await callControl(this.control, "POST", "/faults", fault, this.context);
  }

  async removeFaults(): Promise<void> {
    await callControl(this.control, "DELETE", "/faults", undefined, this.context);
  }

  /** Returns whether the fault that was added has occurred. A fault is removed when it occurs. */
  async hasFaultOccurred(): Promise<boolean> {
    const remainingFaults = await callControl(this.control, "GET", "/faults", undefined, this.context);
    return Array.isArray(remainingFaults) && remainingFaults.length === 0;
  }
}

const collectStrings = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectStrings) : [];
};

/** Databases and backups outside of the manifest do not exist in the local service: their copies start empty. */
const removeExternalSource = (entry: ManifestEntry): ManifestEntry => {
  const { source, ...fields } = entry.fields;
  const refersOutside =
    isObject(source) && (typeof source["databaseId"] === "string" || source["backupId"] !== undefined);
  return refersOutside ? { ...entry, fields } : entry;
};
