// Loads the files of the engine, counts their bytes, checks them, and keeps them for the next time.

const KEPT = "vcompat-engine-";

/** Return the browser's cache for one version of the engine, without those of other versions; null if there is none. */
export async function openCache(version) {
  try {
    for (const name of await caches.keys()) {
      if (name.startsWith(KEPT) && name !== KEPT + version) await caches.delete(name);
    }
    return await caches.open(KEPT + version);
  } catch {
    return null; // Not over plain HTTP, and not where a user has forbidden it.
  }
}

/** Return the bytes of a response; `onBytes` is called with the number of each piece. */
async function readAll(response, size, onBytes) {
  const bytes = new Uint8Array(size);
  let count = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (count + part.value.length > size) throw new Error(`${response.url}: more than ${size} bytes`);
    bytes.set(part.value, count);
    count += part.value.length;
    onBytes(part.value.length);
  }
  if (count < size) throw new Error(`${response.url}: ${count} of ${size} bytes`);
  return bytes;
}

/** Raise an error if `bytes` are not those that the site was built with. Plain HTTP has no digests. */
async function verify(bytes, sha256, address) {
  if (!globalThis.crypto?.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== sha256) throw new Error(`${address}: the digest differs; expected ${sha256}`);
}

async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Load one file of the manifest. `cache` may be null. */
export async function loadFile(base, file, cache, onBytes) {
  const address = new URL(file.path, base).href;
  const kept = await cache?.match(address);
  const response = kept ?? (await fetch(address));
  if (!response.ok) throw new Error(`${address}: ${response.status}; expected a file of the engine`);
  const bytes = await readAll(response, file.size, onBytes);
  await verify(bytes, file.sha256, address);
  if (cache && !kept) {
    // A script is imported only with its type. What a full disk refuses is loaded again the next time.
    const headers = { "Content-Type": response.headers.get("Content-Type") ?? "application/octet-stream" };
    await cache.put(address, new Response(bytes, { headers })).catch(() => {});
  }
  return file.packed ? unpack(bytes) : bytes;
}

/** Load all files of the manifest; return their bytes by name. `onProgress` gets the bytes so far and all bytes. */
export async function loadFiles(base, manifest, onProgress) {
  const cache = await openCache(manifest.version);
  const all = manifest.files.reduce((sum, file) => sum + file.size, 0);
  let loaded = 0;
  const count = (bytes) => {
    loaded += bytes;
    onProgress(loaded, all);
  };
  const bytes = await Promise.all(manifest.files.map((file) => loadFile(base, file, cache, count)));
  return new Map(manifest.files.map((file, index) => [file.name, bytes[index]]));
}
