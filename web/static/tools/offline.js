// The service worker: serves the tools where there is no network. It is registered when a tool is used.

const PAGES = "vcompat-pages";
const ENGINE = "vcompat-engine-";
/** What is kept of the site: the pages of the tools and what they load. Other pages are left to the browser. */
const KEPT = /\/(diagnose|check)\/(index\.html)?$|\/_static\/|\/tools\//;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  const root = new URL("./", self.location);
  const pages = ["diagnose/", "check/"].map((path) => new URL(path, root).href);
  event.waitUntil(caches.open(PAGES).then((cache) => keepPages(cache, pages)));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** Keep pages with the scripts and styles that they name, and what these import. */
async function keepPages(cache, pages) {
  const seen = new Set();
  const keep = async (address) => {
    if (seen.has(address)) return;
    seen.add(address);
    const response = await fetch(address);
    if (!response.ok) return;
    await cache.put(address, response.clone());
    const text = await response.text();
    const named = text.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="([^"]+\.(?:m?js|css|svg))"|from "(\.[^"]+)"/g);
    await Promise.all(Array.from(named, (match) => keep(new URL(match[1] ?? match[2], address).href)));
  };
  await Promise.all(pages.map(keep));
  // No page names the worker's script and the list of the engine's files.
  await keep(new URL("_static/tools/worker.mjs", self.location).href);
  await keep(new URL("tools/engine.json", self.location).href);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== self.location.origin || !KEPT.test(address.pathname)) return;
  event.respondWith(/\/engine-[0-9a-f]+\//.test(address.pathname) ? kept(request) : newest(request));
});

/** A file of the engine: its folder is named after its contents, so that what is kept is right. */
async function kept(request) {
  const found = await caches.match(request);
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) {
    const version = /\/engine-([0-9a-f]+)\//.exec(request.url)[1];
    const cache = await caches.open(ENGINE + version);
    await cache.put(request, response.clone());
  }
  return response;
}

/** What can change: from the network, or as it was where there is none. */
async function newest(request) {
  const cache = await caches.open(PAGES);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const found = await cache.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}
