#!/usr/bin/env node
// The entry of `agh`. Like ao.ts it imports nothing: `--version` is answered at once, the rest is agh-main.ts.
declare const __AO_VERSION__: string | undefined

const first = process.argv[2]
if (first === '--version' || first === '-V' || first === '-v') process.stdout.write(`${version()}\n`)
else {
  enableCompileCache()
  void import('./agh-main.ts').then(({ main }) => main())
}

function version(): string {
  if (typeof __AO_VERSION__ === 'string') return __AO_VERSION__
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

/** In the user's own cache rather than in /tmp, where others could write. */
function enableCompileCache(): void {
  const { env } = process
  const cache = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`)
  if (cache) process.getBuiltinModule('node:module').enableCompileCache?.(`${cache}/agent-orchestrator/compiled`)
}
