/** A setting that a command uses although its command line does not have it. */
export interface UsedSetting {
  /** Such as `project`. */
  readonly label: string;
  readonly value: string;
  /** The file or variable that the setting comes from. */
  readonly from: string;
  /** Id of the project, if it is one: a person knows it by its name. */
  readonly projectId?: string | undefined;
}

/** In this order they are printed. Others follow. */
const labelOrder: readonly string[] = ["profile", "workspace", "project"];

/** Who reads what is printed. */
export interface SettingsReader {
  /** Whether a person reads the messages. */
  readonly isAtTerminal: () => boolean;
  /** Whether the person wants all of them. */
  readonly wantsAll: () => boolean;
  readonly notice: (notice: { code: string; message: string; from: string }) => void;
}

/**
 * Reports what a command uses because of a link, once. On a terminal, it is reported before something is changed, and not by a command that
 * only reads; otherwise it is reported before the first request, or in the end.
 */
export class UsedSettings {
  #waitingSettings: UsedSetting[] = [];
  readonly #addedKeys = new Set<string>();
  /** Returns the name of a project. Set when there is a client. */
  findProjectName: (id: string) => Promise<string | undefined> = () => Promise.resolve(undefined);

  constructor(private readonly reader: SettingsReader) {}

  add(setting: UsedSetting): void {
    const key = JSON.stringify([setting.label, setting.value, setting.from]);
    if (this.#addedKeys.has(key)) return;
    this.#addedKeys.add(key);
    this.#waitingSettings.push(setting);
  }

  /** Prints what was added, unless a person reads a command that has changed nothing. Call it before a request, and in the end. */
  async announceUse({ findsNames = true } = {}): Promise<void> {
    if (this.#waitingSettings.length === 0) return;
    const { isAtTerminal, wantsAll } = this.reader;
    if (!isAtTerminal() || wantsAll()) await this.announce({ findsNames });
  }

  /** Prints what was added. Call it before something is changed, and before a question about that. */
  async announce({ findsNames = true } = {}): Promise<void> {
    const settings = this.#waitingSettings.toSorted((left, right) => rank(left) - rank(right));
    this.#waitingSettings = [];
    for (const { label, value, from, projectId } of settings) {
      const needsName = projectId !== undefined && findsNames && this.reader.isAtTerminal();
      const name = needsName ? await this.findProjectName(projectId) : undefined;
      this.reader.notice({
        code: "link:used",
        message: `Using ${label} ${name ?? value} from ${from}`,
        from,
      });
    }
  }
}

const rank = ({ label }: UsedSetting): number => {
  const index = labelOrder.indexOf(label);
  return index === -1 ? labelOrder.length : index;
};
