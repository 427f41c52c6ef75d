// What each file of a check is, as far as its name and its text tell. The user can say otherwise.

const PACKAGES = /(^|\/)(requirements[^/]*\.(txt|in|lock)|[^/]*\.lock|pylock[^/]*\.toml|Pipfile\.lock|conda[^/]*\.ya?ml|environment\.ya?ml|freeze[^/]*\.txt)$/i;
const RUNS = /\.(py|sh|bash|zsh|slurm|sbatch|job|ipynb|mk)$|(^|\/)(Makefile|Dockerfile[^/]*)$/i;
const CONFIGURATION = /\.(ya?ml|json|toml|cfg|ini)$/i;

/** Return whether `text` names the file. */
function names(text, path) {
  return text.includes(path.slice(path.lastIndexOf("/") + 1));
}

/** Return the role of each path: "run", "packages" or "other". `files` has the bytes of each path. */
export function guess(files) {
  const decoder = new TextDecoder();
  const texts = new Map([...files].map(([path, bytes]) => [path, decoder.decode(bytes)]));
  const roles = new Map();
  for (const path of files.keys()) {
    const isNamed = [...texts].some(([other, text]) => other !== path && !PACKAGES.test(other) && names(text, path));
    if (PACKAGES.test(path)) roles.set(path, "packages");
    else if (isNamed || isImported(path, texts)) roles.set(path, "other");
    else roles.set(path, RUNS.test(path) || CONFIGURATION.test(path) ? "run" : "other");
  }
  if (![...roles.values()].includes("run")) {
    const first = [...roles].find(([, role]) => role === "other");
    if (first) roles.set(first[0], "run");
  }
  return roles;
}

/** Return whether another Python file imports the module at `path`. */
function isImported(path, texts) {
  const module = /([A-Za-z_]\w*)\.py$/.exec(path)?.[1];
  if (!module) return false;
  const pattern = new RegExp(`^\\s*(from|import)\\s+[\\w.]*\\b${module}\\b`, "m");
  return [...texts].some(([other, text]) => other !== path && other.endsWith(".py") && pattern.test(text));
}

/** Return a name for a pasted text. */
export function nameOf(text) {
  if (/^\s*(from\s+\S+\s+import|import)\s/m.test(text)) return "train.py";
  if (/^#!.*\b(ba|z)?sh\b|^#SBATCH|\b(accelerate launch|torchrun|deepspeed|trl grpo|python3? \S+\.py|srun)\b/m.test(text)) return "train.sh";
  if (/^[\w.-]+(\[[\w,-]+\])?\s*(==|>=|~=)/m.test(text)) return "requirements.txt";
  if (/^\s*\{/.test(text)) return "config.json";
  if (/^[\w-]+:(\s|$)/m.test(text)) return "config.yaml";
  return "train.py";
}
