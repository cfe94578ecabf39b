/** What a command uses without being told on its command line. */
export interface UsedSetting {
  /** Such as `project`. */
  readonly label: string;
  readonly value: string;
  /** The file or variable that says so. */
  readonly from: string;
  /** Id of the project, if it is one: a person knows it by its name. */
  readonly projectId?: string | undefined;
}

/**
 * Reports what a command uses because of a link. On a terminal, it is reported before something is changed, and not by a command that only
 * reads; otherwise it is reported immediately.
 */
export class UsedSettings {
  #waitingSettings: UsedSetting[] = [];
  /** Returns the name of a project. Set when there is a client. */
  findProjectName: (id: string) => Promise<string | undefined> = () => Promise.resolve(undefined);

  constructor(
    private readonly isForPerson: () => boolean,
    private readonly notice: (notice: { code: string; message: string; from: string }) => void,
  ) {}

  add(setting: UsedSetting): void {
    if (this.isForPerson()) this.#waitingSettings.push(setting);
    else this.#print(setting, setting.value);
  }

  /** Prints what was added. Call it before something is changed, and before a question about that. */
  async announce(): Promise<void> {
    const settings = this.#waitingSettings;
    this.#waitingSettings = [];
    for (const setting of settings) {
      const { projectId, value } = setting;
      const name = projectId === undefined ? undefined : await this.findProjectName(projectId);
      this.#print(setting, name ?? value);
    }
  }

  #print({ label, from }: UsedSetting, value: string): void {
    this.notice({ code: "link:used", message: `Using ${label} ${value} from ${from}`, from });
  }
}
