// Bundles the commands and the library into dist/, the dashboard's page into dist/web/. Native packages stay outside;
// everything else is inlined and split, so that a command loads only what it uses; dist/THIRD-PARTY-LICENSES.txt has the
// licences of what was inlined. Does nothing when nothing changed since the last build.
//   --types  also the type declarations, the manual pages and the contract suites   --clean  start from an empty dist/   --out <directory>  instead of dist/
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { LICENCES_FILE, packagesOf, writeLicences } from './write-licences.mjs'
import { writeTesting } from './write-testing.mjs'
import { writeTypes } from './write-types.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = outputDirectory() ?? join(ROOT, 'dist')
const WEB = join(ROOT, 'web')

/** What a user starts: small files without imports that any Node can read, so that an old one can be refused politely. */
const COMMANDS = { ao: 'src/cli/ao.ts', agh: 'src/cli/agh.ts' }
const OF_AO = {
  'ao-main': 'src/cli/ao/commands.ts',
  index: 'src/index.ts',
  plugin: 'src/plugin.ts',
  // It loads engines of places, from packages too, as commands do.
  'place-lines': 'src/plugins/place-lines.ts',
}
/** In a bundle of its own: together, what both use would lie among what `ao` starts with, and `agh` would load all of that. */
const OF_AGH = { 'agh-main': 'src/cli/agh/commands.ts', 'agh-demo-agent': 'src/agh/demo-agent.ts' }
/** Programs that run beside ao and share nothing with it while they run. */
const PROGRAMS = {
  'tmux-recorder': 'src/plugins/runtime-tmux/recorder/recorder.ts',
  'demo-agent': 'src/plugins/agent-demo/program/program.ts',
  'demo-agent-acp': 'src/plugins/agent-demo/program/acp-program.ts',
}
/**
 * The first also travels to other machines, as one file; what only terminals need is in the next, because each host has its own
 * copy in memory. The last is a channel there. CommonJS needs two megabytes less.
 */
const HOSTS = {
  host: 'src/host/program.ts',
  'host-terminal': 'src/host/io/terminal.ts',
  'far/connect': 'src/plugins/place-connect.ts',
}
/** What is sent to a place, where nothing of ao is installed: each is one file that needs nothing beside it but pty.node. */
const SENT_AWAY = {
  'far/host': 'src/plugins/place-host.ts',
  'far/demo-agent': 'src/plugins/agent-demo/program/program.ts',
  'far/demo-agent-acp': 'src/plugins/agent-demo/program/acp-program.ts',
}
/** Functions of node's slow built-ins that we use; importing another one is an error that names this table. */
const LOADED_LATE = {
  'node:crypto': ['createHash', 'createHmac', 'randomBytes', 'randomUUID', 'timingSafeEqual'],
  'node:child_process': ['execFile', 'execFileSync', 'spawn', 'spawnSync'],
  // Named as an import it also reads its lazy parts, and with them all of undici.
  'node:http': ['createServer', 'request'],
}
/**
 * Built-ins of which an import also loads the lazy parts, used or not (of `node:fs` its promises, streams and watchers, and so
 * readline and workers: 2 ms a start). What is lazy in them cannot be imported from src.
 */
const LAZY_PARTS = ['node:fs', 'node:util', 'node:net', 'node:stream', 'node:events']
/** What nearly every command loads. Each further file costs a start half a millisecond, so all of this goes into one. */
const STARTS_TOGETHER = {
  agh: [
    'src/cli/agh/commands.ts',
    'src/cli/agh/daemon-link.ts',
    'src/cli/agh/agh-command.ts',
    'src/cli/agh/session-read.ts',
    'src/cli/print/table.ts',
  ],
  ao: [
    'src/cli/ao/commands.ts',
    'src/cli/ao/lists/session-list.ts',
    'src/cli/ao/report/status.ts',
    'src/plugins/runtime-tmux/index.ts',
    // What every agent's plugin reads its files with.
    'src/plugins/agent-files/age-activity.ts',
    'src/core/text/json-fields.ts',
    'src/plugins/agent-files/launch-note.ts',
    'src/plugins/agent-files/program-argv.ts',
    'src/plugins/agent-files/prompt-title.ts',
    'src/lib/read-jsonl.ts',
  ],
}
/** Imports from one chunk, which may load others for itself, and the same names exported. */
const STUB =
  /^(?:const require = [^\n]*\n)?import \{\n([\w$,\s]+)\n\} from "\.\/(chunk-[\w.-]+)";\n(?:import "[^\n]*\n)*export \{\n\1\n\};\n(?:\/\/# [^\n]*\n?)?$/
const GITHUB_SCHEMA = fileURLToPath(new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema')))
const SHELL_SCRIPTS = join(ROOT, 'src/inside/shell')

/** A command that runs now may still load a chunk of the build before this one. */
const KEEP_OLD_CHUNKS_MS = 60 * 60 * 1000

/** Of the page's files: less is one packet anyway. */
const WORTH_COMPRESSING_BYTES = 1_400

// One at a time: several test files build at once, and one must not remove the chunks that another is writing.
const release = takeTurn()
process.on('exit', release)
if (process.argv.includes('--clean')) rmSync(DIST, { recursive: true, force: true })
await step('bundle', ['src'], writeBundle)
// All that the page may import; what it does not know cannot change it.
if (existsSync(WEB)) await step('web', ['web', 'src/contract', 'src/core'], writeWeb)
await writeOrStop(() => writeLicences(ROOT, DIST))
if (process.argv.includes('--types')) await step('man', ['src'], writeManPages)
if (process.argv.includes('--types')) {
  await step('types', ['src', 'test/contract'], () => writeOrStop(() => writeTypes(ROOT, DIST)))
  await step('testing', ['src', 'test'], () => writeOrStop(() => writeTesting(ROOT, DIST)))
}

/** A directory is the lock; one whose process is gone is removed. */
function takeTurn() {
  const lock = `${DIST}.building`
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return () => rmSync(lock, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
}

function isAbandoned(lock) {
  try {
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'))
    if (pid > 0) process.kill(pid, 0)
    return pid === 0 && Date.now() - statSync(lock).mtimeMs > 5_000
  } catch (error) {
    if (error.code === 'ESRCH') return true
    // No pid yet: it was taken this moment, or its owner died before it could say who it is.
    const made = statSync(lock, { throwIfNoEntry: false })
    return made !== undefined && Date.now() - made.mtimeMs > 5_000 && error.code === 'ENOENT'
  }
}

/** Runs a step unless its stamp says that it ran on exactly these files. */
async function step(name, folders, build) {
  const stampFile = join(DIST, `.${name}.stamp`)
  const stamp = sourceStamp(folders)
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  await build()
  writeFileSync(stampFile, stamp)
}

function sourceFiles(folder) {
  const directory = join(ROOT, folder)
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

function sourceStamp(folders) {
  const hash = createHash('sha256')
  const files = folders
    .flatMap(sourceFiles)
    .concat(
      ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => join(ROOT, name)),
    )
    .concat(sourceFiles('scripts'))
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${relative(ROOT, file)}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

async function writeBundle() {
  const started = Date.now()
  const results = await bundle()
  const outputFiles = await Promise.all(passStubs(results.flatMap((result) => result.outputFiles)).map(shrink))
  mkdirSync(DIST, { recursive: true })
  // Entry points last: one that starts meanwhile must find the chunks that it names.
  const isEntry = (file) =>
    relative(DIST, file.path).split('.')[0] in { ...COMMANDS, ...OF_AO, ...OF_AGH, ...PROGRAMS, ...HOSTS, ...SENT_AWAY }
  const ordered = [...outputFiles].sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)))
  const written = ordered.map((file) => writeOutput(file.path, file.contents, modeOf(file)))
  copyShellScripts()
  written.push(await writeGithubSchema())
  writeFileSync(join(DIST, '.bundle.packages'), packagesOf([...results.flatMap(sourcesOf), GITHUB_SCHEMA]).join('\n'))
  removeOldOutputs(DIST, new Set([...written, join(DIST, LICENCES_FILE)]))
  console.log(`build: ${written.length} files in ${Date.now() - started} ms`)
}

async function bundle() {
  const { build } = await import('esbuild')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const options = {
    absWorkingDir: ROOT,
    outdir: DIST,
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    external: ['better-sqlite3', '@lydell/node-pty'],
    define: { __AO_VERSION__: JSON.stringify(version) },
    // Bundled CommonJS packages call require() for node's own modules. Nothing is imported for those that never do.
    banner: {
      js: "const require = (id) => process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);",
    },
    // For people who work on ao. The package leaves the maps out: the bundle is not minified, so a stack names its functions.
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  }
  return Promise.all([
    build({
      ...options,
      entryPoints: OF_AO,
      plugins: [loadLate(), leaveLazy(), leaveJq(), keepTogether(STARTS_TOGETHER.ao)],
    }),
    build({
      ...options,
      entryPoints: OF_AGH,
      plugins: [loadLate(), leaveLazy(), leaveJq(), keepTogether(STARTS_TOGETHER.agh)],
    }),
    build({ ...options, entryPoints: PROGRAMS }),
    build({ ...options, entryPoints: { jq: 'src/cli/print/jq.ts' }, splitting: false }),
    build({
      ...options,
      entryPoints: HOSTS,
      splitting: false,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      banner: {},
      plugins: [loadLate(), leaveTerminal()],
    }),
    build({
      ...options,
      entryPoints: SENT_AWAY,
      splitting: false,
      sourcemap: false,
      external: ['better-sqlite3'],
      plugins: [nativeBeside()],
    }),
    build({
      ...options,
      entryPoints: COMMANDS,
      splitting: false,
      target: 'node16',
      banner: {},
      plugins: [leaveMain()],
    }),
    // esbuild has said what is wrong and where; its stack says nothing more.
  ]).catch(() => stop('the bundle could not be made; if a package is missing: node scripts/setup.mjs'))
}

/** node-pty without its package: its native part is the file beside the bundle. */
function nativeBeside() {
  return {
    name: 'native-beside',
    setup(build) {
      build.onLoad({ filter: /node-pty[\\/]requireBinary\.js$/ }, () => ({
        contents: `export function requireBinary(file) {
          const found = { exports: {} }
          process.dlopen(found, new URL('./' + file, import.meta.url).pathname)
          return found.exports
        }`,
        loader: 'js',
      }))
    },
  }
}

/** Every file that a part of the bundle came from. Maps also know what a package had inlined before we inlined it. */
function sourcesOf({ metafile, outputFiles }) {
  const maps = outputFiles.filter(({ path }) => path.endsWith('.map'))
  const inlined = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  return [...inlined, ...maps.flatMap(({ text }) => JSON.parse(text).sources)]
}

/** The commands load the rest of themselves as a file of the split bundle. */
function leaveMain() {
  return {
    name: 'leave-main',
    setup(build) {
      build.onResolve({ filter: /^\.\/\w+\/commands\.ts$/ }, ({ path }) => ({
        path: path.replace('/commands.ts', '-main.js'),
        external: true,
      }))
    },
  }
}

/** A megabyte that both commands use: one file for both. */
function leaveJq() {
  return {
    name: 'leave-jq',
    setup(build) {
      build.onResolve({ filter: /\/jq\.ts$/ }, () => ({ path: './jq.js', external: true }))
    },
  }
}

/** The host loads what its terminal needs from the file beside it. */
function leaveTerminal() {
  return {
    name: 'leave-terminal',
    setup(build) {
      build.onResolve({ filter: /^\.\/io\/terminal\.ts$/ }, () => ({ path: './host-terminal.cjs', external: true }))
    },
  }
}

/** A built-in of node that takes milliseconds to load is loaded at its first call instead of with the file that names it. */
function loadLate() {
  const names = Object.keys(LOADED_LATE).map((name) => name.replace('node:', ''))
  return {
    name: 'load-late',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^node:(${names.join('|')})$`) }, ({ path, importer }) =>
        // It is loaded late itself, and uses more of them than we do.
        importer.includes('node_modules/undici/') ? undefined : { path, namespace: 'late' },
      )
      build.onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
        contents: LOADED_LATE[path]
          .map((name) => `export const ${name} = (...args) => process.getBuiltinModule('${path}').${name}(...args)`)
          .join('\n'),
      }))
    },
  }
}

/** Reads what is imported from the module itself; an import statement reads all that it has, and so its lazy parts. */
function leaveLazy() {
  const sources = sourceFiles('src').map((file) => readFileSync(file, 'utf8'))
  return {
    name: 'leave-lazy',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^(${LAZY_PARTS.join('|')})$`) }, ({ path, importer }) =>
        importer.startsWith(join(ROOT, 'src')) ? { path, namespace: 'leave-lazy' } : undefined,
      )
      build.onLoad({ filter: /./, namespace: 'leave-lazy' }, ({ path }) => {
        const names = [...new Set(sources.flatMap((source) => importedFrom(path, source)))]
        return { contents: `export const { ${names.join(', ')} } = process.getBuiltinModule('${path}')` }
      })
    },
  }
}

function importedFrom(path, source) {
  const imports = source.matchAll(new RegExp(`^import \\{([^}]*)\\} from '${path}'`, 'gm'))
  const names = [...imports].flatMap(([, list]) => list.split(',').map((name) => name.trim().split(' as ')[0]))
  return names.filter((name) => name !== '' && !name.startsWith('type '))
}

/**
 * esbuild makes a chunk for each set of entries that reach the same modules, and everything that is imported on demand is
 * an entry. When each of those also reaches a group of files, there is one such set for all that they need, and one chunk.
 */
function keepTogether(group) {
  const onDemand = new Set(sourceFiles('src').flatMap(importedOnDemand))
  return {
    name: 'keep-together',
    setup(build) {
      build.onResolve({ filter: /^keep-together$/ }, ({ path }) => ({ path, namespace: 'keep-together' }))
      build.onLoad({ filter: /./, namespace: 'keep-together' }, () => {
        const there = group.filter((file) => existsSync(join(ROOT, file)))
        return {
          contents: [
            ...there.map((file, index) => `import * as part${index} from './${file}'`),
            `export function keepTogether() { return [${there.map((_, index) => `part${index}`).join(', ')}] }`,
          ].join('\n'),
          resolveDir: ROOT,
        }
      })
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!onDemand.has(path)) return undefined
        // At the end, so that the source map stays true.
        const call = `\nimport { keepTogether as keepTogether__ } from 'keep-together'\nkeepTogether__()\n`
        return { contents: readFileSync(path, 'utf8') + call, loader: 'ts', resolveDir: dirname(path) }
      })
    },
  }
}

function importedOnDemand(file) {
  const imports = readFileSync(file, 'utf8').matchAll(/\bimport\('(\.[^']+\.ts)'\)/g)
  return [...imports].map(([, path]) => join(dirname(file), path))
}

/**
 * What is imported on demand and lies in a shared chunk gets a file of its own from esbuild that only passes its exports on.
 * Where the chunk has them under the same names, it is imported itself: one file less to find and read at every start.
 */
function passStubs(files) {
  const exportsOf = new Map(files.map(({ path, text }) => [basename(path), exportedNames(text)]))
  const chunkOf = new Map(
    files.flatMap(({ path, text }) => {
      const [, names, chunk] = STUB.exec(text) ?? []
      const has = chunk && names.split(',').every((name) => exportsOf.get(chunk)?.has(name.trim()))
      return has ? [[basename(path), chunk]] : []
    }),
  )
  return files.map((file) => {
    if (!file.path.endsWith('.js')) return file
    const text = file.text.replace(/\bimport\("\.\/([\w.-]+)"\)/g, (call, name) =>
      chunkOf.has(name) ? `import("./${chunkOf.get(name)}")` : call,
    )
    return text === file.text ? file : { path: file.path, text, contents: Buffer.from(text) }
  })
}

/** The largest of other people's code, which nobody reads here: half of it is white space and comments. */
async function shrink(file) {
  if (!/\/(?:undici|answer-graphql|prom-client)-\w+\.js$/.test(file.path)) return file
  const { transform } = await import('esbuild')
  const { code } = await transform(file.text, { minifyWhitespace: true, legalComments: 'inline' })
  return { path: file.path, contents: Buffer.from(code) }
}

function exportedNames(text) {
  const list = /\nexport \{\n([^}]*)\};\n(?:\/\/# [^\n]*\n?)?$/.exec(text)?.[1] ?? ''
  return new Set(list.split(',').map((name) => name.trim()))
}

/** Renamed into place: a command that starts meanwhile meets the old file or the new one. */
function writeOutput(path, contents, mode = 0o644) {
  const temporary = `${path}.${process.pid}.tmp`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(temporary, contents)
  chmodSync(temporary, mode)
  renameSync(temporary, path)
  return path
}

/** esbuild keeps the first line of the source; adding it here would shift the source map. */
function modeOf(file) {
  if (!(relative(DIST, file.path).replace(/\.js$/, '') in COMMANDS)) return 0o644
  if (file.text.startsWith('#!/usr/bin/env node\n')) return 0o755
  return stop(`the source of ${relative(ROOT, file.path)} must start with #!/usr/bin/env node`)
}

function copyShellScripts() {
  if (!existsSync(SHELL_SCRIPTS)) return
  for (const name of readdirSync(SHELL_SCRIPTS)) {
    writeOutput(join(DIST, 'shell', name), readFileSync(join(SHELL_SCRIPTS, name)), 0o755)
  }
}

/** For `gh api graphql`: GitHub's own schema, a quarter of its size without the descriptions. */
async function writeGithubSchema() {
  const { parse, print, stripIgnoredCharacters, visit } = await import('graphql')
  const document = parse(readFileSync(GITHUB_SCHEMA, 'utf8'), { noLocation: true })
  const bare = visit(document, {
    enter: (node) => (node.description ? { ...node, description: undefined } : undefined),
  })
  return writeOutput(join(DIST, 'github-schema.graphql'), stripIgnoredCharacters(print(bare)))
}

/** The dashboard's page. One that is open now may still ask for a part of the build before this one. */
async function writeWeb() {
  const started = Date.now()
  // Started by a test, it would make the slow and talkative React of developers.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const { output } = await build({
    configFile: join(WEB, 'vite.config.ts'),
    build: { write: false },
    logLevel: 'warn',
    // vite has said what is wrong and where.
  }).catch((error) => stop(`the dashboard's page could not be made: ${error.message}`))
  // The page last: it names the others.
  const ordered = [...output].sort((a, b) => Number(a.fileName === 'index.html') - Number(b.fileName === 'index.html'))
  const written = ordered.flatMap((file) => writeServed(join(DIST, 'web', file.fileName), file.code ?? file.source))
  const inputs = output.flatMap((file) => file.moduleIds ?? [])
  writeFileSync(join(DIST, '.web.packages'), packagesOf(inputs).join('\n'))
  removeOldOutputs(join(DIST, 'web/assets'), new Set(written))
  console.log(`build: the dashboard, ${written.length} files in ${Date.now() - started} ms`)
}

/** With its compressed forms beside it, which are newer than itself: the server sends no older ones. */
function writeServed(path, source) {
  const bytes = Buffer.from(source)
  const written = [writeOutput(path, bytes)]
  if (!/\.(js|css|html|svg|webmanifest)$/.test(path) || bytes.length < WORTH_COMPRESSING_BYTES) return written
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  return [
    ...written,
    writeOutput(`${path}.br`, brotliCompressSync(bytes, brotli)),
    writeOutput(`${path}.gz`, gzipSync(bytes, { level: 9 })),
  ]
}

function removeOldOutputs(directory, current) {
  const limit = Date.now() - KEEP_OLD_CHUNKS_MS
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (!entry.isFile() || entry.name.startsWith('.') || current.has(path)) continue
    if (statSync(path).mtimeMs < limit) rmSync(path, { force: true })
  }
}

/** The commands describe themselves. This may be an old Node, when a shell knew of no other yet as the packages were installed. */
function writeManPages() {
  const ours = join(ROOT, 'node_modules/.bin/node')
  const node = existsSync(ours) ? ours : process.execPath
  for (const command of Object.keys(COMMANDS)) {
    const page = spawnSync(node, [join(DIST, `${command}.js`), '__docs', 'man'], { encoding: 'utf8' })
    if (page.status !== 0) stop(`the manual page of ${command} could not be written: ${page.stderr}`)
    writeOutput(join(DIST, 'man', `${command}.1`), page.stdout)
  }
}

async function writeOrStop(write) {
  try {
    await write()
  } catch (error) {
    stop(error.message)
  }
}

function outputDirectory() {
  const at = process.argv.indexOf('--out')
  return at === -1 ? undefined : resolve(process.argv[at + 1] ?? stop('--out needs a directory'))
}

function stop(why) {
  console.error(`build: ${why}`)
  process.exit(1)
}
