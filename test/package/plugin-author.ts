// `ao-fleet/testing` as the author of a plugin has it: ao and the plugin installed from their tarballs, and one file that calls the
// suites. What passes passes, and what does not hold fails.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, ROOT } from '../support/installed-package.ts'

const PLUGIN = join(ROOT, 'test/fixtures/tested-plugin')
const BORROWED = ['vitest', 'vite', 'typescript', '@types']

/** It changes what is installed: after everything else that looks at that. */
export function checkTesting(findInstalled: () => InstalledPackage): void {
  let installed: InstalledPackage
  let project: string

  beforeAll(() => {
    installed = findInstalled()
    const env = { PATH: process.env.PATH, HOME: installed.root, npm_config_loglevel: 'error' }
    const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, env, encoding: 'utf8' })
    npm(['pack', '--ignore-scripts', '--pack-destination', installed.root], PLUGIN)
    const tarball = readdirSync(installed.root).find((name) => name.startsWith('ao-plugin-tested'))!
    project = join(installed.directory, 'checks')
    mkdirSync(project)
    const modules = join(installed.directory, 'node_modules')
    execFileSync('tar', ['-xf', join(installed.root, tarball), '-C', installed.root])
    cpSync(join(installed.root, 'package'), join(modules, 'ao-plugin-tested'), { recursive: true })
    for (const name of BORROWED) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
    const text = readFileSync(join(PLUGIN, 'plugin.check.mjs'), 'utf8')
    writeFileSync(join(project, 'plugin.test.mjs'), text.replace('./index.js', 'ao-plugin-tested'))
    writeFileSync(join(project, 'vitest.config.mjs'), 'export default { test: { include: ["*.test.mjs"] } }\n')
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }\n')
  }, 240_000)

  function runSuites(): { code: number | null; output: string } {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--root', project, '--reporter', 'verbose']
    const done = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8', timeout: 100_000 })
    return { code: done.status, output: `${done.stdout}${done.stderr}` }
  }

  it('runs the suites of a notifier and a tracker on plugins from a package', () => {
    const { code, output } = runSuites()
    expect(output).toContain('delivers session.needs_input with its session and message')
    expect(output).toContain('names the issues that have to be finished first')
    expect(output).not.toContain(' failed')
    expect(code).toBe(0)
  }, 120_000)

  it('fails where a plugin does not keep the contract', () => {
    const file = join(installed.directory, 'node_modules/ao-plugin-tested/index.js')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace("throw new IssueNotFoundError(id, 'memory')", 'return { state: "open" }'))
    const { code, output } = runSuites()
    writeFileSync(file, text)
    expect(output).toMatch(/S2\.34 .*[\s\S]*AssertionError/)
    expect(code).toBe(1)
  }, 120_000)

  it('has types for every suite', () => {
    const names = ['describeAgent', 'describeAgentBasics', 'describeForge', 'describeHttpNotifier', 'describeRuntime']
    writeFileSync(
      join(project, 'use.ts'),
      `import { ${names.join(', ')} } from 'ao-fleet/testing'\nexport const all = [${names.join(', ')}]\n`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--allowImportingTsExtensions',
    ]
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    const done = spawnSync(tsc, [...options, 'use.ts'], { cwd: project, encoding: 'utf8' })
    expect(done.stdout).toBe('')
    writeFileSync(
      join(project, 'wrong.ts'),
      "import { describeTracker } from 'ao-fleet/testing'\ndescribeTracker(1, 2)\n",
    )
    expect(spawnSync(tsc, [...options, 'wrong.ts'], { cwd: project, encoding: 'utf8' }).stdout).toContain('TS2345')
  })
}
