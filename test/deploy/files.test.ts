import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { serveVariables } from "../../packages/internal/src/environment/variables.js";
import { readServeConfig } from "../../packages/platform/src/serve/read-config.js";
import { root } from "../../scripts/generate/contract/contract.js";

/**
 * Checks the files of deploy/ without a container engine: their fields agree with each other, and their settings with the schema. What they
 * start is tested with deploy/local.
 */
const read = (file: string): string => readFileSync(join(root, "deploy", file), "utf8");

const files = readdirSync(join(root, "deploy"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, "deploy/").length));

/** Returns the settings of a file and its variables, as a server reads them. */
const readSettings = (text: string, env: Record<string, string> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-deploy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "serve.yaml");
  writeFileSync(file, text);
  return readServeConfig({ file, cwd: folder, env, flags: {} });
};

/** Seconds that a stop takes besides the requests in progress: 3 until proxies and clients know, and 5 for the work on databases. */
const stopSeconds = 8;

const portOf = (address = ""): number => Number(address.split(":").at(-1));

interface Container {
  image: string;
  envFrom: { secretRef: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  securityContext: unknown;
  lifecycle: { preStop: { exec: { command: string[] } } };
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  volumeMounts: { name: string; mountPath: string; readOnly: boolean }[];
}
interface Probe {
  httpGet: { path: string; port: string };
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  spec: {
    replicas: number;
    minAvailable: number;
    selector: Record<string, unknown>;
    ports: { targetPort: string }[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        terminationGracePeriodSeconds: number;
        automountServiceAccountToken: boolean;
        securityContext: Record<string, unknown>;
        containers: [Container];
        volumes: { name: string; configMap?: { name: string }; secret?: { defaultMode: number } }[];
      };
    };
  };
}

describe("the files of deploy/", () => {
  it("name only variables of the service that exist", () => {
    const names = files.flatMap((file) => read(file).match(/\bMGMT_SERVE_\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !(name in serveVariables))).toEqual([]);
  });

  it("name no host of a package registry, and contain no password", () => {
    for (const file of files) {
      expect(read(file)).not.toMatch(/registry\.|ghcr\.io|docker\.io|quay\.io/);
      expect(read(file).match(/:\/\/\w+:(?!\$)[^@\s]+@/g), file).toBeNull();
    }
  });
});

describe("the manifests for Kubernetes", () => {
  const manifests = parseAllDocuments(read("kubernetes/mgmt-serve.yaml")).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS() as Manifest;
  });
  const ofKind = (kind: string): Manifest => {
    const [manifest, ...others] = manifests.filter((candidate) => candidate.kind === kind);
    if (manifest === undefined || others.length > 0) throw new Error(`There is not one ${kind}`);
    return manifest;
  };
  const { spec } = ofKind("Deployment");
  const pod = spec.template.spec;
  const [container] = pod.containers;
  const settingsText = ofKind("ConfigMap").data["serve.yaml"] ?? "";
  const env = { MGMT_SERVE_DATABASE_URL: "postgres://mgmt@postgres.example.com/mgmt" };

  it("have kinds and versions of Kubernetes", () => {
    expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      "v1 ConfigMap",
      "apps/v1 Deployment",
      "v1 Service",
      "policy/v1 PodDisruptionBudget",
    ]);
  });

  it("select the same pods, of which one may end at a time", () => {
    const { labels } = spec.template.metadata;
    expect(spec.selector).toEqual({ matchLabels: labels });
    expect(ofKind("Service").spec.selector).toEqual(labels);
    expect(ofKind("PodDisruptionBudget").spec.selector).toEqual({ matchLabels: labels });
    expect(spec.replicas - ofKind("PodDisruptionBudget").spec.minAvailable).toBe(1);
  });

  it("have settings that the service accepts, and its ports", async () => {
    const settings = await readSettings(settingsText, env);
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports).toEqual({ api: portOf(settings.listen), admin: portOf(settings.adminListen) });
    expect(ofKind("Service").spec.ports.map(({ targetPort }) => targetPort)).toEqual(["api"]);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: "/healthz", port: "admin" },
      { path: "/healthz", port: "admin" },
      { path: "/readyz", port: "admin" },
    ]);
  });

  it("give a pod enough time to end", async () => {
    const { drainSeconds = 30 } = await readSettings(settingsText, env);
    const { command } = container.lifecycle.preStop.exec;
    const needed = Number(command.at(-1)) + drainSeconds + stopSeconds;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  });

  it("mount what the settings name, which only the account of the server can read", async () => {
    const { keyFile } = await readSettings(settingsText, env);
    expect(container.volumeMounts.every(({ readOnly }) => readOnly)).toBe(true);
    const folders = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(folders).toEqual(["/etc/mgmt", "/keys"]);
    expect(keyFile.startsWith("/keys/")).toBe(true);
    expect(pod.volumes.map(({ name }) => name)).toEqual(container.volumeMounts.map(({ name }) => name));
    const modes = pod.volumes.flatMap(({ secret }) => (secret ? [secret.defaultMode] : []));
    expect(modes).toEqual([0o440]);
  });

  it("fulfill the restricted Pod Security Standard", () => {
    // https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });
});

describe("the compose file", () => {
  interface Service {
    command?: string[];
    entrypoint?: string[];
    environment: Record<string, string>;
    volumes: string[];
    ports?: string[];
    read_only?: boolean;
    stop_grace_period?: string;
  }
  const { services, volumes }: { services: Record<string, Service>; volumes: Record<string, null> } = parse(
    read("compose/compose.yaml"),
    { merge: true },
  );
  const serviceOf = (name: string): Service => {
    const service = services[name];
    if (service === undefined) throw new Error(`There is no service ${name}`);
    return service;
  };
  const serveServices = ["first", "second", "init"].map(serviceOf);

  it("mounts files that exist, and volumes that it declares", () => {
    for (const { volumes: mounts } of Object.values(services))
      for (const mount of mounts) {
        const [source = ""] = mount.split(":");
        if (source.startsWith(".")) expect(files).toContain(join("compose", source));
        else expect(Object.keys(volumes)).toContain(source);
      }
  });

  it("runs servers with settings that the service accepts, and a login that the script creates", async () => {
    for (const { environment, stop_grace_period: grace, read_only: isReadOnly } of serveServices) {
      const settings = await readSettings(read("compose/serve.yaml"), environment);
      expect(Number.parseInt(grace ?? "")).toBeGreaterThan((settings.drainSeconds ?? 30) + stopSeconds);
      expect(isReadOnly).toBe(true);
      const [, login = ""] =
        /^postgres:\/\/(\w+):\$\{DATABASE_PASSWORD:\?\}@postgres:5432\//.exec(settings.databaseUrl) ?? [];
      expect(read("postgres/role.sql")).toContain(`CREATE ROLE ${login} LOGIN`);
      expect(settings.keyFile).toBe("/keys/keys");
    }
    const keyMounts = serveServices.map(({ volumes: mounts }) =>
      mounts.filter((mount) => mount.startsWith("keys:")),
    );
    expect(keyMounts).toEqual([["keys:/keys:ro"], ["keys:/keys:ro"], ["keys:/keys"]]);
  });

  it("has a proxy in front of both servers, which looks at their health pages", async () => {
    const settings = await readSettings(read("compose/serve.yaml"), serviceOf("first").environment);
    const haproxy = read("compose/haproxy.cfg");
    const api = portOf(settings.listen);
    expect(haproxy.match(/^ {2}server .+$/gm)).toEqual(
      ["first", "second"].map((name) => `  server ${name} ${name}:${String(api)}`),
    );
    expect(haproxy).toContain("httpchk GET /readyz");
    expect(haproxy).toContain(` check port ${String(portOf(settings.adminListen))} `);
    const [, proxyPort] = /bind :(\d+)/.exec(haproxy) ?? [];
    const published = String(new URL(settings.baseUrl ?? "").port);
    expect(serviceOf("proxy").ports).toEqual([`127.0.0.1:${published}:${String(proxyPort)}`]);
    expect(serviceOf("postgres").ports).toEqual([
      `127.0.0.1:${String(portOf(settings.databaseAddress))}:5432`,
    ]);
    expect(settings.trustProxy).toBe(true);
  });
});

describe("the image", () => {
  it("has no Postgres, runs as an ordinary user, and ends with SIGTERM", async () => {
    const text = read("Dockerfile").replaceAll(/\s*\\\n\s*/g, " ");
    const instructions = text.split("\n").filter((line) => /^[A-Z]+ /.test(line));
    const valueOf = (name: string): string[] =>
      instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
    const [run = "", ...otherRuns] = valueOf("RUN");
    expect(otherRuns).toEqual([]);
    expect(run).toMatch(
      /^npm install --global --ignore-scripts --omit=dev --omit=optional "@mgmt\/cli@\$\{VERSION\}" "@mgmt\/platform@\$\{VERSION\}" && .* -o node -g node \/keys$/,
    );
    expect(valueOf("USER")).toEqual(["node"]);
    expect(valueOf("STOPSIGNAL")).toEqual(["SIGTERM"]);
    expect(JSON.parse(valueOf("ENTRYPOINT").join())).toEqual(["mgmt", "serve"]);
    expect(JSON.parse(valueOf("CMD").join())).toEqual(["--config", "/etc/mgmt/serve.yaml"]);
    const settings = await readSettings(read("compose/serve.yaml"), {
      MGMT_SERVE_DATABASE_URL: "postgres://x",
    });
    const ports = [settings.listen, settings.adminListen].map((address) => String(portOf(address)));
    expect(valueOf("EXPOSE").join().split(" ")).toEqual(ports);
    expect(valueOf("HEALTHCHECK").join()).toContain(
      `CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:${ports[1]}/readyz"]`,
    );
  });
});

describe("the systemd unit", () => {
  const unit = read("systemd/mgmt-serve.service");
  const valuesOf = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);

  it("runs an account without privileges, and gives it enough time to end", () => {
    expect(valuesOf("User")).toEqual(["mgmt"]);
    expect(valuesOf("KillSignal")).toEqual(["SIGTERM"]);
    expect(Number(valuesOf("TimeoutStopSec"))).toBeGreaterThan(30 + stopSeconds);
    expect([
      valuesOf("NoNewPrivileges"),
      valuesOf("CapabilityBoundingSet"),
      valuesOf("ProtectSystem"),
    ]).toEqual([["yes"], [""], ["strict"]]);
    // The compiler of Node.js writes into memory that it runs.
    expect(valuesOf("MemoryDenyWriteExecute")).toEqual([]);
  });

  it("has no setting twice, except those that are lists", () => {
    const names = [...unit.matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name);
    const repeated = names.filter((name, index) => names.indexOf(name) !== index);
    expect(repeated).toEqual(["SystemCallFilter"]);
  });
});
