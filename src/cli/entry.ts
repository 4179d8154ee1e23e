// How both commands begin. It imports nothing and parses on every Node since 14: `--version` is answered immediately, a
// Node that is too old is refused with a message instead of a syntax error, and only then is anything loaded.
declare const __AO_VERSION__: string | undefined

const OLDEST_NODE = [22, 19] as const

interface Loaded<P> {
  PROGRAM: P
  runProgram(program: P): Promise<never>
}

export function start<P>(name: string, load: () => Promise<Loaded<P>>): void {
  const first = process.argv[2]
  if (first === '--version' || first === '-V' || first === '-v') {
    writeNow(1, `${version()}\n`)
    return
  }
  if (!isNodeNewEnough(process.versions.node)) {
    writeNow(2, describeOldNode(name))
    process.exitCode = 2
    return
  }
  const home = process.env.AO_HOME || process.env.HOME
  if (home && takesNoFiles(home)) {
    writeNow(
      2,
      `error: nothing can be created in ${home}, where ${name} keeps its files; set AO_HOME to a directory of your own\n`,
    )
    process.exitCode = 1
    return
  }
  enableCompileCache()
  findOwnFiles()
  void load().then(({ PROGRAM, runProgram }) => runProgram(PROGRAM))
}

function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
}

function describeOldNode(program: string): string {
  return (
    `error: ${program} needs Node ${OLDEST_NODE.join('.')} or newer, but this is Node ${process.versions.node}; ` +
    'get a newer one with: nvm install 24 (or: npm install --global node@24)\n'
  )
}

function version(): string {
  if (typeof __AO_VERSION__ === 'string') return __AO_VERSION__
  // Run from source, where no build inserted the version.
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

/** Without node's streams, which take longer to load than all the rest of this; an old Node has nothing else. */
function writeNow(fd: 1 | 2, text: string): void {
  if (typeof process.getBuiltinModule !== 'function') {
    ;(fd === 1 ? process.stdout : process.stderr).write(text)
    return
  }
  try {
    process.getBuiltinModule('node:fs').writeSync(fd, text)
  } catch {
    // Nobody is reading, so there is nobody to report it to either.
    process.exitCode = 1
  }
}

/** In /proc, which answers a new directory with ENOENT: Node's recursive mkdir, its compile cache's too, never ends there. */
function takesNoFiles(home: string): boolean {
  const { existsSync, statfsSync } = process.getBuiltinModule('node:fs')
  const { dirname } = process.getBuiltinModule('node:path')
  let existing = home
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    return process.platform === 'linux' && statfsSync(existing).type === PROC
  } catch {
    // Whoever uses it reports what is wrong.
    return false
  }
}

/** As `statfs` names that file system. */
const PROC = 0x9fa0

/** In the user's own cache rather than in /tmp, where others could write. */
function enableCompileCache(): void {
  const { env } = process
  const home = env.AO_HOME || env.HOME
  const cache = (!env.AO_HOME && env.XDG_CACHE_HOME) || (home && `${home}/.cache`)
  if (cache) process.getBuiltinModule('node:module').enableCompileCache(`${cache}/agent-orchestrator/compiled`)
}

/**
 * The files of a build lie beside each other and are no links. Node asks the disk several times for each of them, which is a fifth of
 * the CPU of a command that loads a hundred. One that is gone, as after an upgrade, is left for Node to report.
 */
function findOwnFiles(): void {
  const { existsSync } = process.getBuiltinModule('node:fs')
  const { dirname } = import.meta
  const directoryOf = (url: string) => url.slice(0, url.lastIndexOf('/'))
  const own = directoryOf(import.meta.url)
  process.getBuiltinModule('node:module').registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context
      const isOwn = /^\.\/[\w.-]+\.js$/.test(specifier) && directoryOf(parentURL) === own
      if (!isOwn || !existsSync(`${dirname}${specifier.slice(1)}`)) return next(specifier, context)
      return { url: `${own}${specifier.slice(1)}`, format: 'module', shortCircuit: true }
    },
  })
}
