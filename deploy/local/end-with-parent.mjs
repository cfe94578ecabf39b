// Loaded before a server. The other end of its standard input closes when the script that has started it ends, also when that is killed.
process.stdin.once("end", () => process.kill(process.pid, "SIGTERM")).resume();
process.stdin.unref();
