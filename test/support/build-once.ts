// Before the first test of a run: what the tests start. `ao` and `agh` in dist/, and beside them the tests' own programs that use
// our sources, each in one file: it starts three times as fast as the sources, and finds `agh` where the package has it.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { COMPILED } from './temp-home.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DIST = join(ROOT, 'dist')
/** With what they import from beside them. */
const FOLDERS = ['test/fixtures', 'test/store', 'test/forges', 'test/support']
const PROGRAMS = ['test/fixtures', 'test/store/fixtures']

export default async function buildOnce(): Promise<void> {
  // Each project asks for it.
  if (process.env.AO_TEST_BUILT === '1') return
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.env.AO_TEST_BUILT = '1'
  // For the workers, which load the same packages.
  process.env.NODE_COMPILE_CACHE ??= COMPILED
  const stampFile = join(DIST, '.test.stamp')
  const stamp = [readFileSync(join(DIST, '.bundle.stamp'), 'utf8'), ...FOLDERS.flatMap(filesIn).map(described)].join(
    '\n',
  )
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.flatMap(filesIn),
    outdir: DIST,
    entryNames: '.test-[name]',
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    external: ['better-sqlite3', '@lydell/node-pty'],
    define: { __AO_VERSION__: '"0.0.0-test"' },
    banner: {
      js: "const require = (id) => process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);",
    },
    logLevel: 'warning',
  })
  for (const { path, contents } of outputFiles) {
    // Another run may be using the old one.
    writeFileSync(`${path}.${process.pid}`, contents)
    renameSync(`${path}.${process.pid}`, join(DIST, basename(path)))
  }
  writeFileSync(stampFile, stamp)
}

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => `./${folder}/${path}`)
    .sort()
}

function described(path: string): string {
  const { size, mtimeMs } = statSync(join(ROOT, path))
  return `${path} ${size} ${mtimeMs}`
}
