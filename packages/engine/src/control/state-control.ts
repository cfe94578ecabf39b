import { requestBackup } from "../rules/databases/backup-jobs.js";
import { scheduleProvisioning, cancelLifecycleJobs } from "../rules/databases/database-lifecycle.js";
import { canonicalId } from "../values/ids.js";
import type { RequestContext } from "../context/request-context.js";
import { runChangeStep } from "./change.js";
import type {
  AppRow,
  BackupRow,
  DatabaseRow,
  DatabaseStatus,
  DeploymentRow,
  DeploymentStatus,
} from "../store/rows.js";
import { controlErrors } from "./control-error.js";

/** Sets resources to states that the API reaches slowly, by chance or never. */
export class StateControl {
  constructor(private readonly context: () => RequestContext) {}

  /**
   * Sets the status of a database. `ready` runs the pending work of the database immediately. Any other status cancels
   * that work, and does not change until it is set again.
   */
  async setDatabaseStatus(databaseId: string, status: DatabaseStatus): Promise<DatabaseRow> {
    const id = canonicalId("database", databaseId);
    const requestContext = this.context();
    const changedRow = await runChangeStep(requestContext, (context) => {
      const { databases } = context.store;
      const database = databases.get(id);
      if (!database) throw controlErrors.notFound("database", databaseId);
      if (status === "ready") {
        // An earlier status may have canceled the creation of the database.
        if (!database.made) scheduleProvisioning(context, id);
        return database;
      }
      cancelLifecycleJobs(context, id);
      return databases.update(id, { status });
    });
    if (status !== "ready") return changedRow;
    await requestContext.finishJobs(id);
    return runChangeStep(requestContext, ({ store }) => store.databases.update(id, { status }));
  }

  /**
   * Sets the status of a deployment, which does not change until it is set again. `running` and `stopped` first run the
   * pending work of the deployment; the other statuses cancel it.
   */
  async setDeploymentStatus(deploymentId: string, status: DeploymentStatus): Promise<DeploymentRow> {
    const id = canonicalId("deployment", deploymentId);
    const requestContext = this.context();
    const isFinished = status === "running" || status === "stopped";
    const changedRow = await runChangeStep(requestContext, ({ store, scheduler, clock }) => {
      const deployment = store.deployments.get(id);
      if (!deployment) throw controlErrors.notFound("deployment", deploymentId);
      if (isFinished) return deployment;
      scheduler.cancel(clock, id);
      return store.deployments.update(id, { status });
    });
    if (!isFinished) return changedRow;
    await requestContext.finishJobs(id);
    return runChangeStep(requestContext, ({ store }) => store.deployments.update(id, { status }));
  }

  /** Sets the environment variables of a deployment, in place of those that it has. No operation of the API does. */
  setDeploymentVariables(
    deploymentId: string,
    envVars: Readonly<Record<string, string>>,
  ): Promise<DeploymentRow> {
    const id = canonicalId("deployment", deploymentId);
    return runChangeStep(this.context(), ({ store }) => {
      if (!store.deployments.get(id)) throw controlErrors.notFound("deployment", deploymentId);
      return store.deployments.update(id, { envVars: { ...envVars } });
    });
  }

  /** Sets the status of a backup. */
  setBackupStatus(backupId: string, status: BackupRow["status"]): Promise<BackupRow> {
    const id = canonicalId("backup", backupId);
    return runChangeStep(this.context(), ({ store }) => {
      if (!store.backups.get(id)) throw controlErrors.notFound("backup", backupId);
      return store.backups.update(id, { status });
    });
  }

  /**
   * Backs up the current data of a database. Resolves when the backup is completed or has failed, or is `running` because it
   * waits for the database server.
   */
  async backUp(databaseId: string, backupType: BackupRow["backupType"] = "full"): Promise<BackupRow> {
    const requestContext = this.context();
    const id = canonicalId("database", databaseId);
    const { backup, job } = await runChangeStep(requestContext, (context) => {
      const database = context.store.databases.get(id);
      if (!database) throw controlErrors.notFound("database", databaseId);
      if (database.status !== "ready") {
        throw controlErrors.databaseNotReady(database.status);
      }
      return requestBackup(context, id, backupType);
    });
    await requestContext.runJob(job);
    return runChangeStep(requestContext, ({ store }) => {
      const row = store.backups.get(backup.id);
      // Deleting the database deletes its backups.
      if (!row) throw controlErrors.databaseDeleted();
      return row;
    });
  }

  /** Adds a custom domain to the app. The domain serves the promoted deployment. */
  attachDomain(appId: string, name: string): Promise<AppRow> {
    return runChangeStep(this.context(), ({ store }) => {
      const app = store.apps.get(canonicalId("app", appId));
      if (!app) throw controlErrors.notFound("app", appId);
      if (!/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) {
        throw controlErrors.invalidDomain();
      }
      if (store.apps.find({ "domains.name": name })) {
        throw controlErrors.domainAttached(name);
      }
      return store.apps.update(app.id, {
        domains: [...app.domains, { name, deploymentId: app.latestDeploymentId }],
      });
    });
  }
}
