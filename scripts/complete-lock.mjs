// Completes package-lock.json after `npm install`, so that `npm ci` works everywhere. Two things get lost on the way:
// - A registry mirror without the binaries of other systems leaves them out, and then `npm ci` refuses the file.
// - npm forgets that a package with prebuilt binaries needs no compiler (`gypfile: false`).
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILE = join(ROOT, process.argv[2] ?? 'package-lock.json')
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

const before = readFileSync(FILE, 'utf8')
const lock = JSON.parse(before)
const added = Object.values(lock.packages).flatMap(missingBinaries)
const packages = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en'))
lock.packages = Object.fromEntries(packages.map(([path, entry]) => [path, withGypfile(path, entry)]))

const after = `${JSON.stringify(lock, null, 2)}\n`
if (after !== before) {
  writeFileSync(FILE, after)
  console.log(`complete-lock: package-lock.json completed, ${added.length} packages of other systems added`)
}

/** Optional packages that this one names with their exact version and that the lock does not have. */
function missingBinaries({ optionalDependencies, dev, license, peer }) {
  return Object.entries(optionalDependencies ?? {}).flatMap(([name, version]) => {
    const system = systemOf(name)
    if (system === null || !EXACT_VERSION.test(version) || lock.packages[`node_modules/${name}`]) return []
    const { cpu, libc, os } = system
    return [[`node_modules/${name}`, { version, cpu, dev, libc, license, optional: true, os, peer }]]
  })
}

/** `@scope/binding-linux-arm64-musl` says which system it is for. null: this name says nothing of the kind. */
function systemOf(name) {
  if (name.endsWith('wasm32-wasi')) return { cpu: ['wasm32'] }
  const match =
    /[-/](android|darwin|freebsd|linux|openbsd|openharmony|win32)-(arm64|arm|ia32|loong64|ppc64|riscv64|s390x|x64)\b(.*)$/.exec(
      name,
    )
  if (match === null) return null
  const [, os, cpu, rest] = match
  const libc = os === 'linux' ? [rest.includes('musl') ? 'musl' : 'glibc'] : undefined
  return { os: [os], cpu: [cpu], libc }
}

function withGypfile(path, entry) {
  return path !== '' && installedPackage(path)?.gypfile === false ? { ...entry, gypfile: false } : entry
}

function installedPackage(path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'))
  } catch {
    // Not for this system, so not installed.
    return null
  }
}
