// The package as a user gets it: packed, then installed by npm into an empty directory. What it depends on is packed from the
// checkout, so that nothing is fetched.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

export interface InstalledPackage {
  /** Everything below it may be removed afterwards. */
  root: string
  /** The directory that npm installed into. */
  directory: string
  /** What was packed, with the source maps that the package leaves out. */
  source: string
  /** The package itself. */
  own: string
  /** A PATH of nothing but the commands of the package, node, git and what a shell script needs. */
  path: string
}

interface Manifest {
  name: string
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export function installPackage(): InstalledPackage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'aot-package-')))
  const directory = join(root, 'app')
  mkdirSync(directory)
  const source = stage(root)
  const own = pack(source, root)
  const overrides = Object.fromEntries(
    dependenciesOf(ROOT).map((folder) => [manifestOf(folder).name, `file:${archive(folder, root)}`]),
  )
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, overrides }))
  npm(['install', '--offline', '--no-audit', '--no-fund', own], directory, root)
  return { root, directory, source, own: join(directory, 'node_modules/ao-fleet'), path: createPath(root, directory) }
}

/** What was built, completed apart from dist/, where other tests run commands. */
function stage(root: string): string {
  const source = join(root, 'source')
  copyBuild(join(source, 'dist'))
  const build = [join(ROOT, 'scripts/build.mjs'), '--types', '--out', join(source, 'dist')]
  execFileSync(process.execPath, build, { stdio: ['ignore', 'ignore', 'inherit'] })
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  const others = files.filter((name) => name !== 'dist' && !name.startsWith('!'))
  for (const name of ['package.json', ...others]) cpSync(join(ROOT, name), join(source, name), { recursive: true })
  return source
}

/** Without what an earlier build left beside it, so that this is what a first build makes. */
function copyBuild(destination: string): void {
  const dist = join(ROOT, 'dist')
  const began = statSync(join(dist, '.bundle.stamp')).mtimeMs - 60_000
  cpSync(dist, destination, {
    recursive: true,
    filter: (path) => {
      const name = relative(dist, path)
      if (/^(types|types-testing|testing|man|\.test.*|\.types\..*|\.man\..*)$/.test(name)) return false
      const file = statSync(path)
      return name.includes('/') || name.startsWith('.') || file.isDirectory() || file.mtimeMs > began
    },
  })
}

/** What npm installed once is what it would pack again, at the cost of a process of npm for each. */
function archive(folder: string, destination: string): string {
  const { name, version } = manifestOf(folder)
  const file = join(destination, `${name.replaceAll(/\W/g, '-')}-${version}.tar`)
  const copied = mkdtempSync(join(destination, 'copy-'))
  cpSync(folder, join(copied, 'package'), { recursive: true })
  execFileSync('tar', ['-cf', file, '-C', copied, 'package'])
  return file
}

/** Without the package's own scripts, which would build it once more. */
function pack(folder: string, destination: string): string {
  const output = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', destination], folder, destination)
  const packed = Object.values(JSON.parse(output) as Record<string, { filename: string }>)
  return join(destination, packed[0]!.filename)
}

function npm(args: string[], cwd: string, home: string): string {
  const env = { PATH: process.env.PATH, HOME: home, npm_config_cache: join(home, '.npm'), npm_config_loglevel: 'error' }
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8' })
}

/** The folders of everything that `folder` needs, as far as this system has it installed. */
function dependenciesOf(folder: string, seen = new Set<string>()): string[] {
  const { dependencies, optionalDependencies } = manifestOf(folder)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = join(ROOT, 'node_modules', name)
    if (seen.has(found) || !readdirSync(dirname(found)).includes(found.slice(dirname(found).length + 1))) continue
    seen.add(found)
    dependenciesOf(found, seen)
  }
  return [...seen]
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function createPath(root: string, directory: string): string {
  const bin = join(root, 'bin')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  for (const program of ['git', 'sh', 'env']) {
    symlinkSync(execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim(), join(bin, program))
  }
  return `${join(directory, 'node_modules/.bin')}:${bin}`
}

/** Relative paths of all files below it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
}
