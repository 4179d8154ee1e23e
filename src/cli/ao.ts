#!/usr/bin/env node
// The entry of `ao`. It imports nothing: `--version` is answered before anything is loaded, the rest is ao-main.ts.
declare const __AO_VERSION__: string | undefined

const OLDEST_NODE = [22, 19] as const

start()

function start(): void {
  const first = process.argv[2]
  if (first === '--version' || first === '-V' || first === '-v') {
    writeNow(1, `${version()}\n`)
    return
  }
  if (!isNodeNewEnough(process.versions.node)) {
    writeNow(2, `error: ao needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}\n`)
    process.exitCode = 2
    return
  }
  enableCompileCache()
  void import('./ao-main.ts').then(({ main }) => main())
}

function version(): string {
  if (typeof __AO_VERSION__ === 'string') return __AO_VERSION__
  // Run from the source, where no build put the version in.
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

/** Without node's streams, which take longer to load than all the rest of this. */
function writeNow(fd: 1 | 2, text: string): void {
  try {
    process.getBuiltinModule('node:fs').writeSync(fd, text)
  } catch {
    // Nobody reads any more: then there is nobody to tell either.
    process.exitCode = 1
  }
}

/** In the user's own cache rather than in /tmp, where others could write. */
function enableCompileCache(): void {
  const { env } = process
  const { enableCompileCache, constants } = process.getBuiltinModule('node:module')
  const cache = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`)
  if (enableCompileCache && constants && cache) enableCompileCache(`${cache}/agent-orchestrator/compiled`)
}

function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
}
