// npm run torture -- groups: the loop is killed while one task over three repositories is started, linked and landed. Each part is
// started and lands once, in the given order, none before all are approved.
import { join } from 'node:path'
import { git } from '../test/support/git-repo.ts'
import type { AoWorld } from '../test/support/run-ao.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'
import { failpointsIn } from './failpoints.ts'
import { answerOf, ask, createKiller, createLoopWorld, type Killer, TOP } from './loop-world.ts'

const CHECK = 'for f in answer-*; do grep -q 42 $f || { echo $f is wrong; exit 1; }; done'
const PROJECTS = ['app', 'web', 'lib'] as const
const CONFIG = `${TOP}projects:
${PROJECTS.map(
  (id) => `  ${id}:
    path: ${id === 'app' ? '.' : `../${id}`}
    agent: demo
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: '${CHECK}' }] } }${id === 'lib' ? '\n    landing: { mode: train }' : ''}
`,
).join('')}`

const START_POINTS = failpointsIn(['manager/task/spawn-task.ts'])
/** Killed there, the task is not written down yet: nobody completes it, and the person asks again. */
const BEFORE_IT_IS_ANNOUNCED = 'task.files-kept'
const POINTS = [
  ...failpointsIn(['lifecycle/landing/land-groups.ts', 'forge/merge/merge-pull.ts']),
  ...['train.boarded', 'train.landed', 'loop.intended', 'loop.recorded'],
]

campaign('killed groups', async (one) => {
  const world = await createLoopWorld(CONFIG, one, ['web', 'lib'])
  const killer = createKiller(world, one, POINTS)
  for (let round = 1; killer.kills < triesOr(60); round++) await liveGroup(world, round, one, killer)
})

interface Member {
  id: string
  projectId: string
  branch: string
  task?: { id: string; index: number }
}

interface Pull {
  number: number
  head: string
  base: string
  state: string
}

async function liveGroup(world: AoWorld, round: number, one: Campaign, killer: Killer): Promise<void> {
  const file = `answer-${round}`
  const members = await startGroup(world, one, killer, `write ${file} 42`)
  const pullOf = async ({ projectId, branch }: Member) =>
    (await ask<{ pullRequests: Pull[] }>(world, ['pr', 'ls', '--all', '-p', projectId])).pullRequests.find(
      ({ head }) => head === branch,
    )
  // The loop starts those that a killed command had only reserved.
  await killer.until(`round ${round}: all have handed in`, async () =>
    (await Promise.all(members.map(pullOf))).every((pull) => pull !== undefined),
  )
  const pulls = (await Promise.all(members.map(pullOf))).map((pull) => pull!)
  /** The last one first: what is merged stays merged, so that one that landed before its turn shows. */
  const states = async () => {
    const found: string[] = []
    for (const member of members.toReversed()) found.unshift((await pullOf(member))?.state ?? 'gone')
    if (/open.*merged/.test(found.join())) one.broken(`${members[0]!.task!.id} landed out of order: ${found.join()}`)
    return found
  }
  const onPull = (what: string, at: number, ...more: string[]) =>
    answerOf(world, ['pr', what, String(pulls[at]!.number), '-p', members[at]!.projectId, ...more])

  const last = one.random.below(members.length)
  for (const at of members.keys()) if (at !== last) await onPull('review', at, '--approve')
  const task = members[0]!.task!.id
  const links = async () =>
    Promise.all(
      members.map(async ({ projectId }, at) => {
        const { stdout } = await answerOf(world, ['pr', 'view', String(pulls[at]!.number), '-p', projectId])
        return stdout.split(`(${task})`).length - 1
      }),
    )
  await killer.until(`round ${round}: each names the others`, async () => (await links()).every((count) => count > 0))
  if ((await states()).includes('merged')) one.broken(`${task}: a part landed before all were approved`)
  await onPull('review', last, '--approve')
  if (one.random.chance(0.4)) await haltMidway(world, { one, killer, states, onPull, task })
  await killer.until(`round ${round}: all have landed`, async () =>
    (await states()).every((state) => state === 'merged'),
  )

  for (const count of await links())
    if (count !== 1) one.broken(`${task}: a pull request names the others ${count} times`)
  for (const [at, { projectId }] of members.entries()) {
    const inRepo = (...args: string[]) =>
      git(projectId === 'app' ? world.repo : join(world.temp.home, projectId), world.temp.env, ...args)
    const landings = inRepo('log', '--first-parent', '--format=%H', 'main', '--', file).split('\n').filter(Boolean)
    if (landings.length !== 1) one.broken(`${members[at]!.id} landed ${landings.length} times`)
    if (inRepo('show', `main:${file}`) !== '42') one.broken(`${members[at]!.id} is not in main as it was made`)
    if ((await pullOf(members[at]!))?.base !== 'main') one.broken(`${members[at]!.id} landed in another branch`)
  }
  one.noted('groups')
  one.judged()
}

/** Its start is killed, too, now and then: whoever comes next completes it, and starts nothing twice. */
async function startGroup(world: AoWorld, one: Campaign, killer: Killer, write: string): Promise<Member[]> {
  const members = async () =>
    (await ask<{ sessions: Member[] }>(world, ['session', 'ls', '--all'])).sessions.filter(({ task }) => task)
  const before = new Set((await members()).map(({ task }) => task!.id))
  const order = [...PROJECTS].sort(() => one.random.below(3) - 1)
  const prompt = [write, 'commit answer', 'pr answer', 'finish done'].map((line) => `demo: ${line}`).join('\n')
  const env = one.random.chance(0.4) ? { AO_FAILPOINT: one.random.pick(START_POINTS) } : {}
  const { signal } = await world.ao(['spawn', '--prompt', prompt, '--projects', order.join()], { env })
  if (signal === 'SIGKILL') {
    killer.kills += 1
    one.tried('kills')
    one.noted(env.AO_FAILPOINT ?? '')
    if (env.AO_FAILPOINT === BEFORE_IT_IS_ANNOUNCED) return startGroup(world, one, killer, write)
  }
  const mine = async () => (await members()).filter(({ task }) => !before.has(task!.id))
  await killer.until('all of them run', async () => (await mine()).length >= order.length)
  const started = (await mine()).sort((a, b) => a.task!.index - b.task!.index)
  const found = started.map(({ projectId, task }) => `${task!.index} ${projectId}`).join()
  const wanted = order.map((id, at) => `${at + 1} ${id}`).join()
  if (found !== wanted) one.broken(`started ${found} instead of ${wanted}`)
  return started.slice(0, order.length)
}

interface Halt {
  one: Campaign
  killer: Killer
  states(): Promise<string[]>
  onPull(act: string, at: number): Promise<unknown>
  task: string
}

/** The next pull request is closed once the first has landed: the rest waits, says why, and continues when it is opened again. */
async function haltMidway(world: AoWorld, { one, killer, states, onPull, task }: Halt): Promise<void> {
  await killer.until('the first part has landed', async () => (await states())[0] === 'merged')
  const next = (await states()).indexOf('open')
  if (next === -1) return
  await onPull('close', next)
  if ((await states())[next] !== 'closed') return
  one.noted('halts')
  const stopped = async () => (await ask<{ stopped: string | null }>(world, ['compare', task])).stopped
  await killer.until('the rest waits', async () => (await stopped()) !== null)
  if ((await states()).slice(next).includes('merged')) one.broken(`${task}: a part landed past a closed one`)
  await onPull('reopen', next)
}
