import { beginProvisioning, cancelLifecycle } from "../rules/databases/database-lifecycle.js";
import { canonicalId } from "../request/ids.js";
import type { ControlledWorld } from "./controlled-world.js";
import type {
  AppRow,
  BackupRow,
  DatabaseRow,
  DatabaseStatus,
  DeploymentRow,
  DeploymentStatus,
} from "../store/rows.js";
import { ControlError, notFound } from "./control-error.js";

/** Sets resources to states that the API reaches slowly, by chance or never. */
export class StateControl {
  constructor(private readonly world: () => ControlledWorld) {}

  /**
   * Sets the status of a database. `ready` runs the pending work of the database immediately. Any other status cancels
   * that work, and does not change until it is set again.
   */
  async setDatabaseStatus(databaseId: string, status: DatabaseStatus): Promise<DatabaseRow> {
    const id = canonicalId("database", databaseId);
    const { store, scheduler, clock } = this.world();
    const database = store.databases.get(id);
    if (!database) throw notFound("database", databaseId);
    if (status === "ready") {
      // An earlier status may have canceled the creation of the database.
      if (!database.made) beginProvisioning(this.world(), id);
      await scheduler.finish(clock, id);
    } else cancelLifecycle(this.world(), id);
    const row = store.databases.update(id, { status });
    await this.world().saved();
    return row;
  }

  /**
   * Sets the status of a deployment, which does not change until it is set again. `running` and `stopped` first run the
   * pending work of the deployment; the other statuses cancel it.
   */
  async setDeploymentStatus(deploymentId: string, status: DeploymentStatus): Promise<DeploymentRow> {
    const id = canonicalId("deployment", deploymentId);
    const { store, scheduler, clock } = this.world();
    if (!store.deployments.get(id)) throw notFound("deployment", deploymentId);
    if (status === "running" || status === "stopped") await scheduler.finish(clock, id);
    else scheduler.cancel(clock, id);
    const row = store.deployments.update(id, { status });
    await this.world().saved();
    return row;
  }

  async setBackupStatus(backupId: string, status: BackupRow["status"]): Promise<BackupRow> {
    const id = canonicalId("backup", backupId);
    const { store } = this.world();
    if (!store.backups.get(id)) throw notFound("backup", backupId);
    const row = store.backups.update(id, { status });
    await this.world().saved();
    return row;
  }

  /** Backs up the current data of a database. Resolves when the backup is completed or has failed. */
  async backUp(databaseId: string, backupType: BackupRow["backupType"] = "full"): Promise<BackupRow> {
    const { store, clock, ids, databaseEngine } = this.world();
    const id = canonicalId("database", databaseId);
    const database = store.databases.get(id);
    if (!database) throw notFound("database", databaseId);
    if (database.status !== "ready") {
      throw new ControlError(409, `The database is ${database.status}; only a ready one can be backed up`);
    }
    const { id: backupId } = store.backups.insert({
      id: ids.id("backup"),
      createdAt: clock.now(),
      databaseId: id,
      backupType,
      status: "running",
      size: null,
    });
    const outcome = await this.world()
      .databaseWork.inTurn([id], () => databaseEngine.backup(id, backupId))
      .then(
        ({ size }) => ({ status: "completed", size }) as const,
        () => ({ status: "failed" }) as const,
      );
    // The database may have been deleted in the meantime, which deletes its backups.
    if (!store.backups.get(backupId))
      throw new ControlError(409, "The database was deleted during the backup");
    const row = store.backups.update(backupId, outcome);
    await this.world().saved();
    return row;
  }

  /** Adds a custom domain to the app. The domain serves the promoted deployment. */
  async attachDomain(appId: string, name: string): Promise<AppRow> {
    const { store } = this.world();
    const app = store.apps.get(canonicalId("app", appId));
    if (!app) throw notFound("app", appId);
    if (!/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) {
      throw new ControlError(400, "name must be a lowercase domain, such as shop.example.com");
    }
    if (store.apps.find({ "domains.name": name })) {
      throw new ControlError(409, `The domain ${name} is already attached`);
    }
    const row = store.apps.update(app.id, {
      domains: [...app.domains, { name, deploymentId: app.latestDeploymentId }],
    });
    await this.world().saved();
    return row;
  }
}
