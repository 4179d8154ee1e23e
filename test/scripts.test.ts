// The project's own scripts in a small project, with stand-ins for npm and apt-get that record how they were called.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const REPOSITORY = join(import.meta.dirname, '..')

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ao-scripts-')))
  for (const script of ['setup.mjs', 'build.mjs', 'write-licences.mjs', 'write-testing.mjs', 'write-types.mjs'])
    write(`scripts/${script}`, read(join(REPOSITORY, 'scripts', script)))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  chmodSync(join(root, path), mode)
}

function read(path: string): string {
  return readFileSync(path, 'utf8')
}

function run(script: string, args: string[] = [], path = join(root, 'bin')): SpawnSyncReturns<string> {
  const env = { PATH: path, HOME: root, CALLS: join(root, 'calls') }
  return spawnSync(process.execPath, [join(root, 'scripts', script), ...args], { cwd: root, env, encoding: 'utf8' })
}

/** A program that only writes down how it was called, and does `then`. */
function standIn(name: string, then = ''): void {
  write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >>"$CALLS"\n${then}\n`, 0o755)
}

function calls(): string[] {
  const file = join(root, 'calls')
  return existsSync(file) ? read(file).trim().split('\n') : []
}

describe('setup', () => {
  const packages = (versions: Record<string, string>, extra = {}) =>
    JSON.stringify({
      packages: {
        ...Object.fromEntries(Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }])),
        ...extra,
      },
    })

  function installed(versions: Record<string, string>, nodeVersion = '24.21.0'): void {
    write('node_modules/.package-lock.json', packages(versions))
    write('node_modules/node/package.json', JSON.stringify({ version: nodeVersion }))
    write('node_modules/.bin/node', '#!/bin/sh\n', 0o755)
  }

  beforeEach(() => {
    standIn('npm')
    write('package-lock.json', packages({ left: '1.0.0', right: '2.0.0' }, { '': { version: '0.1.0' } }))
  })

  it('says and does nothing when everything is there', () => {
    installed({ left: '1.0.0', right: '2.0.0' })
    expect(run('setup.mjs')).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(calls()).toEqual([])
  })

  it('installs with development packages when there are none, in one line', () => {
    // npm's own work, as far as the script checks it.
    const made = join(root, 'made')
    write('made/.package-lock.json', packages({ left: '1.0.0', right: '2.0.0' }))
    write('made/node/package.json', JSON.stringify({ version: '24.21.0' }))
    write('made/.bin/node', '#!/bin/sh\n', 0o755)
    standIn('npm', `/bin/cp -R "${made}" "${join(root, 'node_modules')}"; echo noise`)
    const result = run('setup.mjs')
    expect(result).toMatchObject({ status: 0, stdout: 'setup: installing npm packages (none are installed yet)\n' })
    expect(calls()).toEqual([expect.stringMatching(/^npm ci --include=dev --ignore-scripts/)])
    expect(run('setup.mjs').stdout).toBe('')
  })

  it.each([
    ['is older', { left: '0.9.0', right: '2.0.0' }, 'left 1.0.0'],
    ['is missing', { left: '1.0.0' }, 'right 2.0.0'],
  ])(
    'installs when one %s than package-lock.json says, whatever the times of the files',
    (_how, versions, question) => {
      installed(versions)
      const past = new Date('2020-01-01')
      utimesSync(join(root, 'package-lock.json'), past, past)
      expect(run('setup.mjs').stdout).toContain(`package-lock.json asks for ${question}`)
      expect(calls()).toHaveLength(1)
    },
  )

  it('does not miss optional packages for other systems', () => {
    const other = { 'node_modules/for-windows': { version: '1.0.0', optional: true } }
    write('package-lock.json', packages({ left: '1.0.0' }, other))
    installed({ left: '1.0.0' })
    run('setup.mjs')
    expect(calls()).toEqual([])
  })

  it("shows npm's words and fails when npm fails", () => {
    standIn('npm', 'echo "no network here" >&2; exit 7')
    const result = run('setup.mjs')
    expect(result.status).toBe(7)
    expect(result.stderr).toBe('no network here\nsetup: npm ci failed\n')
  })

  it('refuses a Node that is too old', () => {
    installed({ left: '1.0.0', right: '2.0.0' }, '22.18.0')
    expect(run('setup.mjs')).toMatchObject({ status: 1, stderr: expect.stringContaining('22.19 or newer is needed') })
  })

  it('fetches the Node binary when it is missing', () => {
    installed({ left: '1.0.0', right: '2.0.0' })
    const node = join(root, 'node_modules/.bin/node')
    rmSync(node)
    standIn('npm', `printf '#!/bin/sh' >"${node}"; /bin/chmod +x "${node}"`)
    expect(run('setup.mjs')).toMatchObject({ status: 0, stdout: 'setup: fetching Node 24.21.0\n' })
    expect(calls()).toEqual([expect.stringMatching(/^npm rebuild node --ignore-scripts=false/)])
  })

  it('fails when npm could not fetch it, though npm says that it did', () => {
    installed({ left: '1.0.0', right: '2.0.0' })
    rmSync(join(root, 'node_modules/.bin/node'))
    expect(run('setup.mjs')).toMatchObject({ status: 1, stderr: expect.stringContaining('Node could not be fetched') })
  })

  describe('--system', () => {
    beforeEach(() => installed({ left: '1.0.0', right: '2.0.0' }))

    it('says nothing when every program is there', () => {
      for (const name of ['git', 'tmux', 'jq', 'gh', 'chromium']) standIn(name)
      expect(run('setup.mjs', ['--system'])).toMatchObject({ status: 0, stdout: '' })
    })

    it('says in one line each what is missing, why and how to get it, and continues', () => {
      for (const name of ['git', 'gh', 'chromium']) standIn(name)
      const { status, stdout } = run('setup.mjs', ['--system'])
      expect(status).toBe(0)
      expect(stdout.trim().split('\n')).toEqual([
        expect.stringMatching(/^setup: tmux is missing \(.+\); get it with: apt-get install tmux/),
        expect.stringMatching(/^setup: jq is missing \(.+\); get it with: apt-get install jq/),
      ])
    })

    it.runIf(process.getuid?.() === 0)('installs what is missing where it may', () => {
      for (const name of ['git', 'tmux', 'gh', 'chromium']) standIn(name)
      standIn('apt-get', `/bin/cp "${join(root, 'bin/git')}" "${join(root, 'bin/jq')}"`)
      const { stdout } = run('setup.mjs', ['--system'])
      expect(stdout).toBe('setup: installing jq with apt-get\n')
      expect(calls()).toEqual(['apt-get install --yes --no-install-recommends jq'])
    })

    it.runIf(process.getuid?.() === 0)(
      'updates the list once when apt-get knows no package, and continues without',
      () => {
        for (const name of ['git', 'jq']) standIn(name)
        standIn('apt-get', 'echo "E: Unable to locate"; exit 100')
        const { status, stdout } = run('setup.mjs', ['--system'])
        expect(status).toBe(0)
        expect(calls().map((call) => call.split(' ')[1])).toEqual(['install', 'update', 'install'])
        expect(stdout).toContain('setup: tmux is missing')
      },
    )
  })
})

describe('complete-lock', () => {
  it('adds the binaries of other systems, keeps existing ones, and is done after one run', () => {
    write('scripts/complete-lock.mjs', read(join(REPOSITORY, 'scripts/complete-lock.mjs')))
    const binaries = { '@tool/linux-x64-gnu': '1.0.0', '@tool/darwin-arm64': '1.0.0', '@tool/wasm32-wasi': '1.0.0' }
    const present = { version: '1.0.0', integrity: 'sha512-x', optional: true }
    write(
      'package-lock.json',
      JSON.stringify({
        packages: {
          '': {},
          'node_modules/tool': { version: '1.0.0', dev: true, license: 'MIT', optionalDependencies: binaries },
          'node_modules/@tool/linux-x64-gnu': present,
          'node_modules/native': { version: '3.0.0' },
        },
      }),
    )
    write('node_modules/native/package.json', JSON.stringify({ gypfile: false }))
    expect(run('complete-lock.mjs').stdout).toContain('2 packages of other systems added')
    const { packages: completed } = JSON.parse(read(join(root, 'package-lock.json')))
    expect(completed['node_modules/@tool/linux-x64-gnu']).toEqual(present)
    expect(completed['node_modules/@tool/darwin-arm64']).toEqual({
      version: '1.0.0',
      cpu: ['arm64'],
      dev: true,
      license: 'MIT',
      optional: true,
      os: ['darwin'],
    })
    expect(completed['node_modules/@tool/wasm32-wasi']).toMatchObject({ cpu: ['wasm32'], optional: true })
    expect(completed['node_modules/native']).toEqual({ version: '3.0.0', gypfile: false })
    expect(run('complete-lock.mjs').stdout).toBe('')
  })
})

describe('build', () => {
  beforeEach(() => {
    symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'))
    for (const name of ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.testing.json'])
      copyFileSync(join(REPOSITORY, name), join(root, name))
    write('package.json', JSON.stringify({ type: 'module', version: '7.8.9' }))
    write('package-lock.json', '{}')
    write('src/cli/ao.ts', "#!/usr/bin/env node\nconsole.log(__AO_VERSION__, (await import('../index.ts')).answer)\n")
    write('src/cli/agh.ts', '#!/usr/bin/env node\nexport {}\n')
    write('src/cli/ao/commands.ts', 'export {}\n')
    write('src/cli/agh/commands.ts', 'export {}\n')
    write('src/agh/demo-agent.ts', 'export {}\n')
    write('src/cli/print/jq.ts', 'export {}\n')
    for (const path of [
      'contract/testing.ts',
      'fixtures/create-in-child.ts',
      'fixtures/acp-program.ts',
      'fixtures/tui-echo.mjs',
    ])
      write(`test/${path}`, 'export {}\n')
    write('src/index.ts', 'export const answer = 42\n')
    write('src/plugin.ts', "export type * from './index.ts'\n")
    write('src/plugins/place-host.ts', 'export {}\n')
    write('src/plugins/place-connect.ts', 'export {}\n')
    write('src/plugins/runtime-tmux/recorder/recorder.ts', 'export {}\n')
    write('src/plugins/place-lines.ts', 'export {}\n')
    write('src/host/program.ts', 'export {}\n')
    write('src/host/io/terminal.ts', 'export {}\n')
    write('src/plugins/agent-demo/program/program.ts', 'export {}\n')
    write('src/plugins/agent-demo/program/acp-program.ts', 'export {}\n')
    write('src/inside/shell/gh', '#!/bin/sh\necho wrapped\n')
  })

  const build = (...args: string[]) => run('build.mjs', args, process.env.PATH)
  const ao = () => spawnSync(join(root, 'dist/ao.js'), { encoding: 'utf8' }).stdout

  it("makes the dashboard's page, and again only when it or what it knows has changed", () => {
    write('web/vite.config.ts', "export default { root: import.meta.dirname, build: { outDir: '../dist/web' } }\n")
    write('web/index.html', '<!doctype html><title>x</title><script type="module" src="/main.ts"></script>\n')
    write('web/main.ts', "import { word } from '../src/contract/word.ts'\nconsole.log(word)\n")
    write('src/contract/word.ts', "export const word = 'first'\n")
    const page = join(root, 'dist/web/index.html')
    const script = () => read(join(root, 'dist/web', /src="\/(assets\/[^"]+)"/.exec(read(page))![1]!))
    expect(build()).toMatchObject({ status: 0, stderr: '' })
    expect(script()).toContain('first')
    const { mtimeMs } = statSync(page)
    write('src/index.ts', 'export const answer = 43\n')
    expect(build()).toMatchObject({ status: 0, stderr: '' })
    expect(statSync(page).mtimeMs).toBe(mtimeMs)
    write('src/contract/word.ts', "export const word = 'second'\n")
    expect(build()).toMatchObject({ status: 0, stderr: '' })
    expect(script()).toContain('second')
  })

  it('creates a command that runs on its own and shell scripts next to it', () => {
    expect(build()).toMatchObject({ status: 0, stderr: '' })
    expect(ao()).toBe('7.8.9 42\n')
    expect(spawnSync(join(root, 'dist/shell/gh'), { encoding: 'utf8' }).stdout).toBe('wrapped\n')
    expect(readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('imports a shared chunk itself, not the file that only passes its exports on', () => {
    write('src/cli/ao.ts', "#!/usr/bin/env node\nvoid import('./ao/commands.ts').then(({ main }) => main())\n")
    const main = "export const main = async () => console.log((await import('../../part.ts')).part())\n"
    write('src/cli/ao/commands.ts', `export { part } from '../../part.ts'\n${main}`)
    write('src/part.ts', "export const part = () => 'of the chunk'\n")
    expect(build()).toMatchObject({ status: 0, stderr: '' })
    expect(ao()).toBe('of the chunk\n')
    const files = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.js'))
    const imported = files.flatMap((name) => [...read(join(root, 'dist', name)).matchAll(/import\("\.\/(.*?)"\)/g)])
    expect(imported.map(([, name]) => name)).toEqual([
      expect.stringMatching(/^chunk-/),
      expect.stringMatching(/^chunk-/),
    ])
  })

  it('does nothing when nothing changed, and builds again when something did', () => {
    build()
    const { mtimeMs } = statSync(join(root, 'dist/ao.js'))
    expect(build().stdout).toBe('')
    expect(statSync(join(root, 'dist/ao.js')).mtimeMs).toBe(mtimeMs)
    write('src/index.ts', 'export const answer = 43000\n')
    expect(build().stdout).toMatch(/^build: \d+ files/)
    expect(ao()).toBe('7.8.9 43000\n')
  })

  it('keeps the chunks of the build before for commands that run now, and drops old ones', () => {
    build()
    const before = readdirSync(join(root, 'dist'))
    const old = join(root, 'dist/chunk-OLD.js')
    write('dist/chunk-OLD.js', '')
    utimesSync(old, new Date('2020-01-01'), new Date('2020-01-01'))
    write('src/index.ts', "export const answer = 'another chunk'\n")
    build()
    expect(readdirSync(join(root, 'dist'))).toEqual(expect.arrayContaining(before))
    expect(existsSync(old)).toBe(false)
    build('--clean')
    expect(readdirSync(join(root, 'dist')).length).toBe(before.length)
  })

  it('writes type declarations only when asked', () => {
    build()
    expect(existsSync(join(root, 'dist/types'))).toBe(false)
    // What a checkout is built with, so that `npm install ../ao` has types.
    const { scripts } = JSON.parse(read(join(REPOSITORY, 'package.json'))) as { scripts: Record<string, string> }
    expect(scripts.build).toContain('--types')
    write('src/cli/ao.ts', '#!/usr/bin/env node\nexport {}\n')
    expect(build('--types')).toMatchObject({ status: 0, stderr: '' })
    expect(read(join(root, 'dist/types/index.d.ts'))).toContain('answer = 42')
  })

  it.each([
    ['a file is missing', 'src/index.ts', null, /Could not resolve "(src|..)\/index.ts"[\s\S]*build: the bundle/],
    ['a command lacks its first line', 'src/cli/ao.ts', 'export {}\n', /dist\/ao.js must start with #!/],
  ])('says what is wrong and leaves no half build: %s', (_what, path, text, reason) => {
    if (text === null) rmSync(join(root, path))
    else write(path, text)
    const { status, stderr } = build()
    expect(status).toBe(1)
    expect(stderr).toMatch(reason)
    expect(stderr).not.toContain('    at ')
    expect(existsSync(join(root, 'dist/ao.js'))).toBe(false)
  })
})
