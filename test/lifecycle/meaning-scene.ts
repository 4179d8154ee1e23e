// Agents whose branches git merges without a word: one renames a function, another one calls it by its old name, and others do
// something else. The check imports everything and names what fails.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RedPair } from '../../src/contract/dashboard/radar.ts'
import type { MachineLoad } from '../../src/core/radar/idle-machine.ts'
import { readRedPairs } from '../../src/landing/radar/red-pairs.ts'
import { keepMeaning } from '../../src/lifecycle/landing/keep-meaning.ts'
import { keepRadar } from '../../src/lifecycle/loop/keep-radar.ts'
import { agreeToAll } from '../support/agree.ts'
import { git } from '../support/git-repo.ts'
import { createLoopWorld, type LoopWorld } from './loop-world.ts'

export type Files = Record<string, string | null>

const CHECK = `import { readdirSync, appendFileSync } from 'node:fs'
appendFileSync(process.env.HOME + '/runs', 'run\\n')
let failed = 0
for (const name of readdirSync('src').sort()) {
  try {
    await import('./src/' + name)
    console.log('ok - ' + name)
  } catch (error) {
    failed++
    console.log('not ok ' + failed + ' - ' + name + ' loads\\n# ' + error.message)
  }
}
process.exit(failed === 0 ? 0 : 1)
`

const BASE: Files = {
  'check.mjs': CHECK,
  'src/prices.mjs': 'export function total(list) {\n  return list.reduce((a, b) => a + b, 0)\n}\n',
  'src/index.mjs': "export * from './prices.mjs'\n",
  'src/page.mjs': "import { total } from './prices.mjs'\nif (total([1, 2]) !== 3) throw new Error('wrong')\n",
  'notes.md': Array.from({ length: 60 }, (_, n) => `note ${n}\n`).join(''),
}
export const RENAMES: Files = {
  'src/prices.mjs': BASE['src/prices.mjs']!.replace('total', 'sum'),
  'src/page.mjs': BASE['src/page.mjs']!.replaceAll('total', 'sum'),
}
export const CALLS_OLD: Files = {
  'src/basket.mjs': "import { total } from './index.mjs'\nif (total([2, 2]) !== 4) throw new Error('wrong')\n",
}

export interface MeaningScene {
  world: LoopWorld
  /** Ids, in the order of the branches. */
  ids: string[]
  project: LoopWorld['config']['projects'][string]
  projectDir: string
  /** Commits these files on the branch of a session. */
  commit(id: string, files: Files): void
  /** The rounds of the radar, until it has nothing to do. */
  observe(meter?: () => Partial<MachineLoad>): Promise<RedPair[]>
  runs(): number
}

const GATE = 'gates: [{ name: test, run: node check.mjs, timeout: 60 }]'

export async function createMeaningScene(
  branches: readonly Files[],
  { yaml = `${GATE}\nradar: { meaning: true }`, agree = true }: { yaml?: string; agree?: boolean } = {},
): Promise<MeaningScene> {
  const world = await createLoopWorld({ projectYaml: yaml })
  const { home } = world.temp
  await agreeToAll(world.config, { home, env: world.env })
  const project = world.config.projects['my-app']!
  const projectDir = world.loop.context.paths.project('my-app').dir
  const commits: Array<[string, Files]> = [['main', BASE]]
  importCommits(project.path, world.env, commits)
  const ids: string[] = []
  for (const _ of branches) ids.push(await world.spawn())
  if (!agree) rmSync(world.loop.context.paths.trust)
  const branchOf = (id: string) => world.store.read(id)!.record.branch!
  const commit = (id: string, files: Files) => importCommits(project.path, world.env, [[branchOf(id), files]])
  importCommits(
    project.path,
    world.env,
    branches.map((files, index) => [branchOf(ids[index]!), files]),
  )
  return {
    ...{ world, ids, project, projectDir, commit },
    async observe(meter = () => ({})) {
      const onChange = async () => void (await keepRadar(world.loop, project))
      await onChange()
      const sample = () => ({ load: 0, cores: 2, foreground: 0, ...meter() })
      await keepMeaning(world.loop, project, new AbortController().signal, onChange, { sample })
      return readRedPairs(projectDir)
    },
    runs() {
      const file = join(home, 'runs')
      return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
    },
  }
}

/** One process for all of them. */
function importCommits(repo: string, env: NodeJS.ProcessEnv, commits: ReadonlyArray<readonly [string, Files]>): void {
  const parts = commits.map(([branch, files]) => {
    const tip = tipOf(repo, env, branch) ?? tipOf(repo, env, 'main')!
    const changes = Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    )
    const head = `commit refs/heads/${branch}\ncommitter dev <dev@example.com> 1700000000 +0000\ndata 4\nwork\n`
    return `${head}from ${tip}\n${changes.join('')}\n`
  })
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: repo, env, input: parts.join('') })
}

function tipOf(repo: string, env: NodeJS.ProcessEnv, branch: string): string | null {
  try {
    return git(repo, env, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
  } catch {
    return null
  }
}

/** Something that is no trouble to anybody: notes, or a module of its own that uses what is there. */
export function bystander(index: number): Files {
  const lines = BASE['notes.md']!.split('\n').with(index * 3, `changed by ${index}`)
  const module = `import { helper${index} } from './helper${index}.mjs'\nhelper${index}()\n`
  return index % 2 === 0
    ? { 'notes.md': lines.join('\n') }
    : {
        [`src/helper${index}.mjs`]: `import * as all from './index.mjs'\nexport function helper${index}() {\n  return Object.keys(all)\n}\n`,
        [`src/use${index}.mjs`]: module,
      }
}

/** 18 bystanders and the two, in an order that the seed decides. */
export async function tryDay(seed: number): Promise<{ wanted: string[]; found: string[][]; runs: number; ms: number }> {
  const all = [RENAMES, CALLS_OLD, ...Array.from({ length: 18 }, (_, index) => bystander(index))]
  let state = seed
  const weight = new Map(
    all.map((files) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return [files, state]
    }),
  )
  const order = all.toSorted((a, b) => weight.get(a)! - weight.get(b)!)
  const scene = await createMeaningScene(order)
  try {
    const started = performance.now()
    const found = (await scene.observe()).map(({ a, b }) => [a, b].sort())
    const wanted = [RENAMES, CALLS_OLD].map((files) => scene.ids[order.indexOf(files)]!).sort()
    return { wanted, found, runs: scene.runs(), ms: performance.now() - started }
  } finally {
    await scene.world.cleanup()
  }
}
