#!/usr/bin/env node
// The entry of `agh`. Like ao.ts it loads nothing before it is needed.
declare const __AO_VERSION__: string | undefined

const first = process.argv[2]
if (first === '--version' || first === '-V' || first === '-v') process.stdout.write(`${version()}\n`)
else void import('./agh-main.ts').then(({ main }) => main())

function version(): string {
  if (typeof __AO_VERSION__ === 'string') return __AO_VERSION__
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
