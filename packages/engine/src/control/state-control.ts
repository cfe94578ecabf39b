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
import { ControlError } from "./control-error.js";

/** Brings resources into states that the API itself brings about slowly, by chance, or not at all. */
export class StateControl {
  constructor(private readonly world: () => ControlledWorld) {}

  /**
   * `ready` does the work that the database waits for at once; any other status drops that work, and stays until it is set
   * again.
   */
  async setDatabaseStatus(databaseId: string, status: DatabaseStatus): Promise<DatabaseRow> {
    const id = canonicalId("database", databaseId);
    const { store, scheduler } = this.world();
    const database = store.databases.get(id);
    if (!database) throw new ControlError(404, `There is no database ${databaseId}`);
    if (status === "ready") {
      // Work that an earlier status dropped has to be done after all.
      if (!database.made) beginProvisioning(this.world(), id);
      await scheduler.finish(id);
    } else cancelLifecycle(this.world(), id);
    const row = store.databases.update(id, { status });
    await this.world().saved();
    return row;
  }

  /** Drops the work that the deployment waits for; the status stays until it is set again. */
  async setDeploymentStatus(deploymentId: string, status: DeploymentStatus): Promise<DeploymentRow> {
    const id = canonicalId("deployment", deploymentId);
    const { store, scheduler } = this.world();
    if (!store.deployments.get(id)) throw new ControlError(404, `There is no deployment ${deploymentId}`);
    if (status === "running" || status === "stopped") await scheduler.finish(id);
    else scheduler.cancel(id);
    const row = store.deployments.update(id, { status });
    await this.world().saved();
    return row;
  }

  async setBackupStatus(backupId: string, status: BackupRow["status"]): Promise<BackupRow> {
    const id = canonicalId("backup", backupId);
    const { store } = this.world();
    if (!store.backups.get(id)) throw new ControlError(404, `There is no backup ${backupId}`);
    const row = store.backups.update(id, { status });
    await this.world().saved();
    return row;
  }

  /** Takes a backup of the database as it is now; resolves when it is completed, or failed. */
  async backUp(databaseId: string, backupType: BackupRow["backupType"] = "full"): Promise<BackupRow> {
    const { store, clock, ids, databaseEngine } = this.world();
    const id = canonicalId("database", databaseId);
    const database = store.databases.get(id);
    if (!database) throw new ControlError(404, `There is no database ${databaseId}`);
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
    // The database, and its backups with it, may have been deleted meanwhile.
    if (!store.backups.get(backupId)) throw new ControlError(409, "The database was deleted meanwhile");
    const row = store.backups.update(backupId, outcome);
    await this.world().saved();
    return row;
  }

  /** Gives the app a custom domain, which follows its promoted deployment. */
  async attachDomain(appId: string, name: string): Promise<AppRow> {
    const { store } = this.world();
    const app = store.apps.get(canonicalId("app", appId));
    if (!app) throw new ControlError(404, `There is no app ${appId}`);
    if (!/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) {
      throw new ControlError(400, "A domain is written in lower case, like shop.example.com");
    }
    if (store.apps.find({ "domains.name": name })) {
      throw new ControlError(409, `The domain ${name} is attached already`);
    }
    const row = store.apps.update(app.id, {
      domains: [...app.domains, { name, deploymentId: app.latestDeploymentId }],
    });
    await this.world().saved();
    return row;
  }
}
