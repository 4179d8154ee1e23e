// dist/testing/: the contract suites for the tests of other people's plugins, in one file, and the programs that they start beside it.
import { join } from 'node:path'
import { build } from 'esbuild'

const ENTRIES = {
  index: 'test/contract/testing.ts',
  'create-in-child': 'test/fixtures/create-in-child.ts',
  'acp-program': 'test/fixtures/acp-program.ts',
  'tui-echo': 'test/fixtures/tui-echo.mjs',
}

export async function writeTesting(root, dist) {
  await build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: join(dist, 'testing'),
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    // The plugins of this repository are not tested there.
    external: ['vitest', 'better-sqlite3', '@lydell/node-pty', '../../src/plugins/*'],
    banner: {
      js: "const require = (id) => process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);",
    },
    logLevel: 'warning',
  })
}
