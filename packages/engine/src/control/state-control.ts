import { requestBackup } from "../rules/databases/backup-jobs.js";
import { scheduleProvisioning, cancelLifecycleJobs } from "../rules/databases/database-lifecycle.js";
import { toCanonicalId } from "../values/ids.js";
import type { RequestContext } from "../context/request-context.js";
import type { OperationContext } from "../context/operation-context.js";
import { runWriteTransaction } from "./run-transaction.js";
import type {
  App,
  Backup,
  Database,
  DatabaseStatus,
  DeploymentDetails,
  DeploymentStatus,
} from "../generated/schemas.js";
import { serializeApp } from "../rules/apps/serialize-app.js";
import { serializeBackup } from "../rules/databases/backups.js";
import { serializeDeploymentDetails } from "../rules/deployments/deployments.js";
import * as controlErrors from "./control-errors.js";
import { serializeDatabaseWithoutPasswords } from "./serialize-resources.js";

/** Sets resources to states that the API reaches slowly, by chance or never. */
export class StateControl {
  /** @internal */
  constructor(private readonly getRequestContext: () => RequestContext) {}

  /**
   * Sets the status of a database. `ready` runs the pending work of the database immediately. Any other status cancels
   * that work, and does not change until it is set again.
   */
  async setDatabaseStatus(databaseId: string, status: DatabaseStatus): Promise<Database> {
    const id = toCanonicalId("database", databaseId);
    const requestContext = this.getRequestContext();
    const unreadyDatabase = await runWriteTransaction(requestContext, (context) => {
      const { databases } = context.store;
      const database = databases.get(id);
      if (!database) throw controlErrors.notFound("database", databaseId);
      if (status === "ready") {
        // An earlier status may have canceled the creation of the database.
        if (!database.made) scheduleProvisioning(context, id);
        return undefined;
      }
      cancelLifecycleJobs(context, id);
      return serializeDatabaseWithoutPasswords(context, databases.update(id, { status }));
    });
    if (unreadyDatabase) return unreadyDatabase;
    await requestContext.finishJobs(id);
    return runWriteTransaction(requestContext, (context) =>
      serializeDatabaseWithoutPasswords(context, context.store.databases.update(id, { status })),
    );
  }

  /**
   * Sets the status of a deployment, which does not change until it is set again. `running` and `stopped` first run the
   * pending work of the deployment; the other statuses cancel it.
   */
  async setDeploymentStatus(deploymentId: string, status: DeploymentStatus): Promise<DeploymentDetails> {
    const id = toCanonicalId("deployment", deploymentId);
    const requestContext = this.getRequestContext();
    const isFinished = status === "running" || status === "stopped";
    const updateStatus = (context: OperationContext): DeploymentDetails =>
      serializeDeploymentDetails(context, context.store.deployments.update(id, { status }));
    const unfinishedDeployment = await runWriteTransaction(requestContext, (context) => {
      if (!context.store.deployments.get(id)) throw controlErrors.notFound("deployment", deploymentId);
      if (isFinished) return undefined;
      context.scheduler.cancel(context.clock, { subject: id });
      return updateStatus(context);
    });
    if (unfinishedDeployment) return unfinishedDeployment;
    await requestContext.finishJobs(id);
    return runWriteTransaction(requestContext, updateStatus);
  }

  /** Replaces the environment variables of a deployment. No operation of the API does. */
  setDeploymentVariables(
    deploymentId: string,
    envVars: Readonly<Record<string, string>>,
  ): Promise<DeploymentDetails> {
    const id = toCanonicalId("deployment", deploymentId);
    return runWriteTransaction(this.getRequestContext(), (context) => {
      const { deployments } = context.store;
      if (!deployments.get(id)) throw controlErrors.notFound("deployment", deploymentId);
      return serializeDeploymentDetails(context, deployments.update(id, { envVars: { ...envVars } }));
    });
  }

  /** Sets the status of a backup. */
  setBackupStatus(backupId: string, status: Backup["status"]): Promise<Backup> {
    const id = toCanonicalId("backup", backupId);
    return runWriteTransaction(this.getRequestContext(), ({ store }) => {
      if (!store.backups.get(id)) throw controlErrors.notFound("backup", backupId);
      return serializeBackup(store.backups.update(id, { status }));
    });
  }

  /**
   * Backs up the current data of a database. Resolves when the backup is completed or has failed, or is `running` because it
   * waits for the database server.
   */
  async backUp(databaseId: string, backupType: Backup["backupType"] = "full"): Promise<Backup> {
    const requestContext = this.getRequestContext();
    const id = toCanonicalId("database", databaseId);
    const { backup, job } = await runWriteTransaction(requestContext, (context) => {
      const database = context.store.databases.get(id);
      if (!database) throw controlErrors.notFound("database", databaseId);
      if (database.status !== "ready") {
        throw controlErrors.databaseNotReady(database.status);
      }
      return requestBackup(context, id, backupType);
    });
    await requestContext.runJob(job);
    return runWriteTransaction(requestContext, ({ store }) => {
      const row = store.backups.get(backup.id);
      // Deleting the database deletes its backups.
      if (!row) throw controlErrors.databaseDeleted();
      return serializeBackup(row);
    });
  }

  /** Adds a custom domain to the app. The domain serves the promoted deployment. */
  attachDomain(appId: string, name: string): Promise<App> {
    return runWriteTransaction(this.getRequestContext(), (context) => {
      const { store } = context;
      const app = store.apps.get(toCanonicalId("app", appId));
      if (!app) throw controlErrors.notFound("app", appId);
      if (!/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) {
        throw controlErrors.invalidDomain();
      }
      if (store.apps.find({ "domains.name": name })) {
        throw controlErrors.domainAttached(name);
      }
      const changedApp = store.apps.update(app.id, {
        domains: [...app.domains, { name, deploymentId: app.latestDeploymentId }],
      });
      return serializeApp(context, "apps", changedApp);
    });
  }
}
