/** A setting that a command uses although no argument of its command line sets it. */
export interface ImplicitSetting {
  /** Such as `project`. */
  readonly label: string;
  readonly value: string;
  /** The file or variable that the setting comes from. */
  readonly from: string;
  /** Id of the project, for the label `project`. A person is shown its name instead. */
  readonly projectId?: string | undefined;
}

/** The order in which settings are printed. Settings with other labels follow. */
const labelOrder: readonly string[] = ["profile", "workspace", "project"];

/** The reader of the messages. */
export interface SettingsReader {
  /** Whether it is a person. */
  readonly isAtTerminal: () => boolean;
  /** Whether the person wants all messages. */
  readonly wantsAll: () => boolean;
  readonly notice: (notice: { code: string; message: string; from: string }) => void;
}

/**
 * Prints the settings that a command uses because of a link, each once. A person sees them only before a change; a program gets them before
 * the first request, or at the end of the command.
 */
export class ImplicitSettingsReporter {
  #pendingSettings: ImplicitSetting[] = [];
  readonly #addedKeys = new Set<string>();
  /** Returns the name of a project. Set when there is a client. */
  findProjectName: (id: string) => Promise<string | undefined> = () => Promise.resolve(undefined);

  constructor(private readonly reader: SettingsReader) {}

  add(setting: ImplicitSetting): void {
    const key = JSON.stringify([setting.label, setting.value, setting.from]);
    if (this.#addedKeys.has(key)) return;
    this.#addedKeys.add(key);
    this.#pendingSettings.push(setting);
  }

  /** Prints the pending settings for programs. Call it before a request that only reads, and at the end of the command. */
  async announceForRead({ findsNames = true } = {}): Promise<void> {
    if (this.#pendingSettings.length === 0) return;
    const { isAtTerminal, wantsAll } = this.reader;
    if (!isAtTerminal() || wantsAll()) await this.announceForChange({ findsNames });
  }

  /** Prints the pending settings. Call it before a change, and before asking about it. */
  async announceForChange({ findsNames = true } = {}): Promise<void> {
    const settings = this.#pendingSettings.toSorted((left, right) => rank(left) - rank(right));
    this.#pendingSettings = [];
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

const rank = ({ label }: ImplicitSetting): number => {
  const index = labelOrder.indexOf(label);
  return index === -1 ? labelOrder.length : index;
};
