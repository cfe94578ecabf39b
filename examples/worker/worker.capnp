using Workerd = import "/workerd/workerd.capnp";

# Runs the bundled worker on this machine. Cloudflare reads the bindings from the configuration of the project instead.
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    # Workers can reach public addresses by default. This one also reaches `mgmt dev`.
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "dist/worker.js")],
  compatibilityDate = "2025-01-01",
  bindings = [
    (name = "MGMT_BASE_URL", fromEnvironment = "MGMT_BASE_URL"),
    (name = "MGMT_TOKEN", fromEnvironment = "MGMT_TOKEN"),
  ],
);
