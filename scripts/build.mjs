// Bundles the commands and the library into dist/. Native packages stay outside; everything else is inlined and split,
// so that a command loads only what it uses.
import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
rmSync(new URL('../dist/', import.meta.url), { recursive: true, force: true })

await build({
  absWorkingDir: new URL('..', import.meta.url).pathname,
  entryPoints: {
    ao: 'src/cli/ao.ts',
    index: 'src/index.ts',
    plugin: 'src/plugin.ts',
    'process-host': 'src/plugins/runtime-process/host.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  external: ['better-sqlite3', '@lydell/node-pty'],
  define: { __AO_VERSION__: JSON.stringify(version) },
  // Bundled CommonJS packages call require() for node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  sourcemap: true,
  logLevel: 'warning',
})
