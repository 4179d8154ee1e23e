// npm run torture -- shapes: nothing is killed. A chain of 5, a diamond of 6 and a group of 3, with real sessions of the demo agent on
// the local forge, with a train and without, until everything has landed: in order, from the right base, and every commit green.
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../test/support/git-repo.ts'
import type { AoWorld } from '../test/support/run-ao.ts'
import { type Campaign, campaign, type Try, triesOr } from './campaign.ts'
import { act, ask, createLoopWorld, rest, start } from './loop-world.ts'

/** What each needs, by name. */
type Shape = Readonly<Record<string, readonly string[]>>

const CHAIN: Shape = { c1: [], c2: ['c1'], c3: ['c2'], c4: ['c3'], c5: ['c4'] }
const DIAMOND: Shape = { d1: [], d2: ['d1'], d3: ['d1'], d4: ['d2'], d5: ['d3'], d6: ['d4', 'd5'] }
const GROUP = ['lib', 'web', 'app']

/** A piece of work names what it needs: without that it is red. */
const CHECK = 'for f in work-*; do [ -e "$f" ] || continue; for n in $(cat "$f"); do [ -e "$n" ] || exit 1; done; done'

const config = (train: boolean) => `port: 0
lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process }
reactions: { approved-and-green: { auto: true } }
projects:
${GROUP.map(
  (id) => `  ${id}:
    path: ${id === 'app' ? '.' : `../${id}`}
    agent: demo
    agentConfig: { permissions: skip }
    tracker: local
    scm: { plugin: local, merge: ${train ? 'merge' : 'squash'}, ci: { commands: [{ name: test, run: '${CHECK}' }] } }
    speculate: true${train && id === 'app' ? '\n    landing: { mode: train }' : ''}
`,
).join('')}`

/** Of a world. */
const LANDINGS = 14
const LONGEST_MS = 600_000
/** Whoever asks all the time takes from the loop what it needs. */
const PAUSE_MS = 1_000
const SHAPES: Readonly<Record<string, string>> = { c: 'chains', d: 'diamonds', g: 'groups' }

campaign('real shapes', async (one) => {
  for (let round = 0; round * LANDINGS < triesOr(140); round++) await playShapes(one, (one.seed + round) % 2 === 1)
})

interface Pull {
  number: number
  head: string
  base: string
  state: string
  ci: string
  review: string
}

interface Session {
  id: string
  projectId: string
  branch: string
  status: string
}

async function playShapes(one: Campaign, train: boolean): Promise<void> {
  const world = await createLoopWorld(config(train), one, ['lib', 'web'])
  await start(world)
  const begun = performance.now()
  const works = new Map<string, Session>()
  for (const [name, needs] of Object.entries({ ...CHAIN, ...DIAMOND })) {
    const wanted = needs.map((need) => works.get(need)!.id)
    const args = [
      '--prompt',
      script(name, needs),
      '-p',
      'app',
      ...(wanted.length > 0 ? ['--needs', wanted.join()] : []),
    ]
    works.set(name, (await ask<{ session: Session }>(world, ['spawn', ...args])).session)
  }
  const group = ['spawn', '--prompt', script('g', []), '--projects', GROUP.join()]
  const { sessions } = await ask<{ sessions: Session[] }>(world, group)
  for (const session of sessions) works.set(`g in ${session.projectId}`, session)
  // Work below others changes once more: those above follow it.
  const moved = one.random.pick(['c1', 'c2', 'd1'])
  const more = lines([`write more-${moved} more`, `commit more-${moved}`, 'push', 'finish done'])
  await act(world, ['send', works.get(moved)!.id, more])
  // Each landing has an order, a base and a check of its own.
  const tries = new Map([...works.keys()].map((name) => [name, one.tried(SHAPES[name[0]!]!)]))
  for (const until = performance.now() + LONGEST_MS; !(await review(world, one, works)); await rest(PAUSE_MS))
    if (performance.now() > until) throw new Error('not everything has landed')
  one.log(
    `${train ? 'train' : 'squash'}: ${works.size} sessions landed in ${Math.round((performance.now() - begun) / 1000)} s`,
  )
  await inspect(world, { one, works, tries, moved })
  one.judged()
  await world.ao(['stop', '--sessions'])
}

const lines = (steps: readonly string[]) => steps.map((step) => `demo: ${step}`).join('\n')

function script(name: string, needs: readonly string[]): string {
  const content = needs.map((need) => `work-${need}`).join(' ') || 'README.md'
  return lines([`write work-${name} ${content}`, `commit ${name}`, `pr ${name}`, 'finish done'])
}

async function pullsOf(world: AoWorld): Promise<Array<Pull & { project: string }>> {
  const all: Array<Pull & { project: string }> = []
  for (const project of GROUP)
    for (const pull of (await ask<{ pullRequests: Pull[] }>(world, ['pr', 'ls', '--all', '-p', project])).pullRequests)
      all.push({ ...pull, project })
  return all
}

/** A person approves what is green, sooner or later, whatever it is for. true: nothing is left. */
async function review(world: AoWorld, one: Campaign, works: ReadonlyMap<string, Session>): Promise<boolean> {
  const pulls = await pullsOf(world)
  for (const { number, project, base, state, review: verdict, ci } of pulls) {
    if (state !== 'open' || verdict === 'approved' || ci !== 'passing') continue
    if (one.random.chance(base === 'main' ? 0.7 : 0.2))
      await act(world, ['pr', 'review', String(number), '--approve', '-p', project])
  }
  return pulls.filter(({ state }) => state === 'merged').length === works.size
}

interface Landed {
  one: Campaign
  works: ReadonlyMap<string, Session>
  tries: ReadonlyMap<string, Try>
  /** What changed once more below others. */
  moved: string
}

async function inspect(world: AoWorld, { one, works, tries, moved }: Landed): Promise<void> {
  const broken = (name: string, what: string) => (tries.get(name) ?? one).broken(`${name}: ${what}`)
  const nameOf = (branch: string, projectId: string) =>
    [...works].find(([, work]) => work.branch === branch && work.projectId === projectId)?.[0] ?? branch
  for (const { head, base, state, project } of await pullsOf(world))
    if (base !== 'main' || state !== 'merged') broken(nameOf(head, project), `${head} ended ${state} for ${base}`)
  for (const project of GROUP) {
    const repo = project === 'app' ? world.repo : join(world.temp.home, project)
    const inRepo = (...args: string[]) => git(repo, world.temp.env, ...args)
    const named = (name: string) => (name === 'g' ? `g in ${project}` : name)
    const commits = inRepo('log', '--first-parent', '--reverse', '--format=%H', 'main').split('\n').slice(2)
    const landed: string[] = []
    for (const commit of commits) {
      const files = inRepo('diff', '--name-only', `${commit}^`, commit).split('\n')
      const own = files.filter((file) => file.startsWith('work-')).map((file) => file.slice('work-'.length))
      // Only its own: what it stood on had landed before it.
      if (own.length !== 1) broken(named(own[0] ?? ''), `${project}: ${commit} brings ${files.join()}`)
      landed.push(...own)
      if (!isGreen(world, repo, commit)) broken(named(own[0] ?? ''), `${project}: ${commit} is red`)
    }
    const wanted = project === 'app' ? [...Object.keys({ ...CHAIN, ...DIAMOND }), 'g'] : ['g']
    for (const name of new Set([...wanted, ...landed])) {
      const times = landed.filter((one) => one === name).length
      if (times !== 1 || !wanted.includes(name)) broken(named(name), `it landed ${times} times in ${project}`)
    }
    for (const [name, needs] of Object.entries({ ...CHAIN, ...DIAMOND }))
      if (project === 'app' && needs.some((need) => landed.indexOf(need) > landed.indexOf(name)))
        broken(name, `it landed before what it needs: ${landed.join()}`)
  }
  if (git(world.repo, world.temp.env, 'show', `main:more-${moved}`) !== 'more')
    broken(moved, 'what it did later is lost')
  for (const [name, { id }] of works) {
    const { session } = await ask<{ session: Session }>(world, ['session', 'show', id])
    if (session.status !== 'merged') broken(name, `${id} is ${session.status} in the end`)
  }
}

/** The check runs again, in a checkout of its own. */
function isGreen(world: AoWorld, repo: string, commit: string): boolean {
  const path = mkdtempSync(join(world.temp.home, 'checked-'))
  git(repo, world.temp.env, 'worktree', 'add', '--quiet', '--detach', path, commit)
  const { status } = spawnSync('sh', ['-c', CHECK], { cwd: path, env: world.temp.env })
  git(repo, world.temp.env, 'worktree', 'remove', '--force', path)
  return status === 0
}
