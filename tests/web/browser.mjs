// A headless Chromium, driven over a pipe (Chrome DevTools Protocol): no package is needed for it.
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"];

function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  for (const dir of (process.env.PATH || "").split(":"))
    for (const name of names) {
      try {
        accessSync(join(dir, name), constants.X_OK);
        return join(dir, name);
      } catch {
        // not here
      }
    }
  throw new Error(`none of ${names.join(", ")} is on the PATH; tools/deps.sh test installs chromium`);
}

export class Browser {
  constructor() {
    this.profile = mkdtempSync(join(tmpdir(), "cop_page_"));
    this.child = spawn(findChromium(), [...FLAGS, `--user-data-dir=${this.profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    let rest = "";
    this.child.stdio[4].setEncoding("utf8").on("data", (chunk) => {
      const parts = (rest + chunk).split("\0");
      rest = parts.pop();
      parts.forEach((text) => this.receive(JSON.parse(text)));
    });
    this.child.on("exit", () => this.waiting.forEach(({ reject }) => reject(new Error("Chromium ended"))));
  }

  receive(message) {
    const asked = this.waiting.get(message.id);
    if (asked) {
      this.waiting.delete(message.id);
      if (message.error) asked.reject(new Error(`${asked.method}: ${message.error.message}`));
      else asked.resolve(message.result);
    } else this.listeners.forEach((f) => f(message));
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, method });
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async page() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    return new Page(this, sessionId, targetId);
  }

  async close() {
    const ended = new Promise((resolve) => this.child.on("exit", resolve));
    this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(timer);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Page {
  constructor(browser, sessionId, targetId) {
    this.browser = browser;
    this.sessionId = sessionId;
    this.targetId = targetId;
    this.complaints = []; // console errors, exceptions, requests
    browser.listeners.push((m) => m.sessionId === sessionId && this.hear(m));
  }

  hear({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.complaints.push(params.args.map((a) => a.value ?? a.description).join(" "));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.complaints.push(params.entry.text);
    if (method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(params.request.url)) this.complaints.push(`asks for ${params.request.url}`);
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  async start({ width, height, dark = false, phone = false, online = false }) {
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
    if (!online) await this.send("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: phone ? 2 : 1, mobile: phone });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
  }

  async open(url) {
    await this.send("Page.navigate", { url });
    for (let i = 0; i < 12000; i++) {
      if ((await this.run("document.documentElement?.dataset.ready")) === "yes") return;
      await new Promise((r) => setTimeout(r, 50));
    }
    throw new Error(`the page did not get ready: ${this.complaints.join("; ")}`);
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  async picture(full = true) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: full });
    return Buffer.from(data, "base64");
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.targetId });
  }

  async pdf() {
    const { data } = await this.send("Page.printToPDF", { printBackground: true, preferCSSPageSize: true, paperWidth: 8.27, paperHeight: 11.69 });
    return Buffer.from(data, "base64");
  }
}
