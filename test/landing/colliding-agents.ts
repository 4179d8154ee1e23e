// Scripted agents, no model: each adds a migration, a dependency and a line to the changelog, all from the same commit and without
// knowing of each other. What the train makes of them, with rules for conflicts and without.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ResolveEntry } from '../../src/core/landing/resolve/rules.ts'
import { observePulls } from '../../src/forge/pulls/observe-pulls.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

/** Makes the lockfile from the manifest, as a package manager does, and keeps what is locked. */
const LOCK = `import { readFileSync, writeFileSync } from 'node:fs'
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const locked = JSON.parse(readFileSync('deps.lock', 'utf8'))
const names = Object.keys(dependencies).sort()
const lock = Object.fromEntries(names.map((name) => [name, locked[name] ?? 'sum of ' + name + '@' + dependencies[name]]))
writeFileSync('deps.lock', JSON.stringify({ ...lock, '': names.length }, null, 2) + '\\n')
`

/** Boots only when everything fits: numbers without gap or repeat, the list names the files, the lockfile fits the manifest. */
const APP = `import { readdirSync, readFileSync } from 'node:fs'
const read = (name) => readFileSync(name, 'utf8')
const fail = (why) => { console.error(why); process.exit(1) }
const files = readdirSync('db').filter((name) => name.endsWith('.sql')).sort()
files.forEach((name, at) => Number(name.slice(0, 4)) === at + 1 || fail('gap or repeat at ' + name))
const listed = read('db/order.txt').trim().split('\\n')
if (listed.toSorted().join() !== files.join()) fail('order.txt: ' + listed + ' instead of ' + files)
const routes = Object.keys(await import('./routes.mjs'))
if (routes.length !== files.length) fail('routes.mjs has ' + routes + ' for ' + files)
const { dependencies } = JSON.parse(read('package.json'))
const { '': count, ...locked } = JSON.parse(read('deps.lock'))
const names = Object.keys(dependencies)
if (count !== names.length || names.some((name) => !locked[name])) fail('the lockfile does not fit the manifest')
if (read('CHANGELOG.md').split('\\n- ').length !== files.length) fail('the changelog lacks a line')
`

const START = {
  'package.json': `${JSON.stringify({ name: 'app', dependencies: { base: '1.0.0' } }, null, 2)}\n`,
  'deps.lock': `${JSON.stringify({ base: 'sum of base@1.0.0', '': 1 }, null, 2)}\n`,
  'lock.mjs': LOCK,
  'routes.mjs': routeOf('start'),
  'app.mjs': APP,
  'db/0001_start.sql': 'create table start;\n',
  'db/order.txt': '0001_start.sql\n',
  'CHANGELOG.md': '# Changes\n\n## Next\n',
}

/** They end alike: whoever keeps the lines of both sides of git's conflict gets a function inside another. */
function routeOf(name: string): string {
  return `\nexport function ${name}(request) {\n  if (request.path !== '/${name}') {\n    return null\n  }\n  return request\n}\n`
}

export const RULES: ResolveEntry[] = [
  { kind: 'regenerate', paths: ['deps.lock'], run: 'node lock.mjs' },
  { kind: 'union', paths: ['CHANGELOG.md', 'package.json', 'db/order.txt'] },
  { kind: 'additions', paths: ['*.mjs'] },
  { kind: 'sequence', name: 'migration', files: 'db/####_*.sql' },
]

export interface Collision {
  landed: number
  /** Pull requests that left the train, or were found in conflict before they boarded: each is a message to an agent. */
  conflicts: number
  numbers: number[]
  /** Commits of the base branch on which the app does not boot. */
  broken: string[]
  /** What the proof of each says about rules. */
  rules: string[][]
}

export async function collide(agents: number, resolve: ResolveEntry[]): Promise<Collision> {
  const world = createForgeWorld({
    config: { ci: { commands: [{ name: 'boots', run: 'node app.mjs' }] } },
    files: START,
  })
  world.project.landing = { mode: 'train', batch: 4, order: 'safe', resolve }
  try {
    await work(world, agents)
    const found = new Set<number>()
    await runTrain({
      forge: world.forge,
      projectDir: projectDirectory(world.context, world.project.id),
      rule: { batch: 4, order: 'safe', priority: [] },
      method: 'squash',
      collide: () => false,
      signal: new AbortController().signal,
      say: () => undefined,
      onEvent: (event) => void (event.type === 'left' && found.add(event.pull)),
    })
    const pulls = world.forge.pulls.list()
    for (const { pr, hasConflicts } of await observePulls(world.forge, pulls)) if (hasConflicts) found.add(pr.number)
    return { conflicts: found.size, ...inspect(world), landed: pulls.filter(({ state }) => state === 'merged').length }
  } finally {
    await world.cleanup()
  }
}

/** One commit for each, from the same start; approved, and green by itself. */
async function work(world: ForgeWorld, agents: number): Promise<void> {
  const start = world.git('rev-parse', 'main')
  const all = Array.from({ length: agents }, (_, index) => index + 1)
  const input = all.map((agent) => {
    const files = Object.entries(changeOf(agent)).map(([path, text]) => `M 100644 inline ${path}\n${dataOf(text)}`)
    const who = `Agent ${agent} <agent@localhost> 1700000000 +0000`
    const head = `commit refs/heads/feat/${agent}\nauthor ${who}\ncommitter ${who}\n${dataOf(`Agent ${agent}`)}`
    return `${head}from ${start}\n${files.join('')}\n`
  })
  execFileSync('git', ['-C', world.repo, 'fast-import', '--quiet'], { env: world.temp.env, input: input.join('') })
  for (const agent of all) {
    const { number } = await world.openPR({ branch: `feat/${agent}`, title: `Agent ${agent}` })
    await world.check(`feat/${agent}`, 'boots', 'passed')
    await world.review(number, { state: 'approved' })
  }
}

function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

function changeOf(agent: number): Record<string, string> {
  const name = `0002_agent${agent}.sql`
  const dependency = `dep${String(agent).padStart(2, '0')}`
  const manifest = { name: 'app', dependencies: { base: '1.0.0', [dependency]: '1.0.0' } }
  const lock = { base: 'sum of base@1.0.0', [dependency]: `sum of ${dependency}@1.0.0`, '': 2 }
  return {
    [`db/${name}`]: `-- ${name}\ncreate table agent${agent};\n`,
    'db/order.txt': `${START['db/order.txt']}${name}\n`,
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'deps.lock': `${JSON.stringify(lock, null, 2)}\n`,
    'routes.mjs': START['routes.mjs'] + routeOf(`agent${agent}`),
    'CHANGELOG.md': `${START['CHANGELOG.md']}\n- What agent ${agent} did\n`,
  }
}

function inspect(world: ForgeWorld): Omit<Collision, 'landed' | 'conflicts'> {
  const commits = world.git('rev-list', '--first-parent', 'main').split('\n')
  const broken = commits.filter((commit) => !boots(world, commit))
  const files = world.git('ls-tree', '--name-only', 'main', 'db/').split('\n')
  const numbers = files.flatMap((file) => Number(/(\d+)_/.exec(file)?.[1] ?? []) || [])
  const rules = commits.slice(0, -1).map((commit) => {
    return (JSON.parse(world.git('notes', '--ref=ao/proof', 'show', commit)) as { resolved?: string[] }).resolved ?? []
  })
  return { broken, numbers, rules: rules.reverse() }
}

function boots(world: ForgeWorld, commit: string): boolean {
  const directory = mkdtempSync(join(world.temp.home, 'boot-'))
  try {
    const archive = execFileSync('git', ['-C', world.repo, 'archive', commit], { env: world.temp.env })
    execFileSync('tar', ['-x', '-C', directory], { input: archive })
    execFileSync(process.execPath, [join(directory, 'app.mjs')], { cwd: directory, stdio: 'pipe' })
    return true
  } catch {
    return false
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
