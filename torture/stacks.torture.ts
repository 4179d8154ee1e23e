// npm run torture -- stacks: the loop is killed while work that stands on other work follows it and lands behind it. No base is wrong,
// nothing lands twice, and what was not committed stays.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../test/support/git-repo.ts'
import type { AoWorld } from '../test/support/run-ao.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'
import { failpointsIn } from './failpoints.ts'
import { act, ask, createKiller, createLoopWorld, type Killer, TOP } from './loop-world.ts'

const STACKED = `${TOP}reactions:\n  approved-and-green: { auto: true }
projects:
  app: { path: ., agent: demo, tracker: local, scm: { plugin: local, merge: squash }, speculate: true }
`

const POINTS = failpointsIn(['landing/restack.ts', 'lifecycle/loop/keep-stacks.ts', 'lifecycle/landing/retarget.ts'])

campaign('killed stacks', async (one) => {
  const world = await createLoopWorld(STACKED, one)
  const killer = createKiller(world, one, POINTS)
  for (let round = 1; killer.kills < triesOr(60); round++) {
    await liveStack(world, round, one, killer)
    one.judged()
  }
})

/** Three on top of each other: the lowest moves and all follow; it lands and the next is for main; nothing is lost on the way. */
async function liveStack(world: AoWorld, round: number, one: Campaign, killer: Killer): Promise<void> {
  const inRepo = (...args: string[]) => git(world.repo, world.temp.env, ...args)
  const script = (lines: string[]) => [...lines, 'finish done'].map((line) => `demo: ${line}`).join('\n')
  const work = (name: string) => [`write ${name} ${name}`, `commit ${name}`]
  const names = ['low', 'mid', 'top'].map((name) => `${name}-${round}`)
  const ids: string[] = []
  for (const [index, name] of names.entries()) {
    const base = index === 0 ? [] : ['--base', ids[index - 1]!]
    const args = ['spawn', '--prompt', script([...work(name), `pr ${name}`]), ...base]
    ids.push((await ask<{ session: { id: string } }>(world, args)).session.id)
    await waitFor(
      `${name} is committed`,
      async () => inRepo('log', '-1', '--format=%s', `session/${ids[index]}`) === name,
    )
  }
  const shown = async (id: string) =>
    (await ask<{ session: { status: string; workspacePath: string } }>(world, ['session', 'show', id])).session
  const draft = join((await shown(ids[2]!)).workspacePath, names[2]!)
  writeFileSync(draft, 'not committed\n')
  await act(world, ['send', ids[0]!, script(work(`more-${round}`))])
  const own = (above: string, below: string) => inRepo('log', '--format=%s', `${below}..${above}`)
  await killer.until(`round ${round}: all follow`, async () =>
    [ids[1]!, ids[2]!].every((id) => inRepo('ls-tree', '--name-only', `session/${id}`).includes(`more-${round}`)),
  )
  if (own(`session/${ids[1]}`, `session/${ids[0]}`) !== names[1]) one.broken(`${ids[1]} has other commits than its own`)
  const pulls = async () =>
    (
      await ask<{ pullRequests: Array<{ number: number; head: string; base: string; state: string }> }>(world, [
        'pr',
        'ls',
        '--all',
      ])
    ).pullRequests
  const pullOf = async (id: string) => (await pulls()).find(({ head }) => head === `session/${id}`)
  for (const [index, id] of ids.entries()) {
    await killer.until(`round ${round}: ${id} is for main`, async () => (await pullOf(id))?.base === 'main')
    const isClean = async () => index === 0 || own(`session/${id}`, 'main') === names[index]
    await killer.until(`round ${round}: ${id} holds its own work alone`, isClean)
    if (readFileSync(draft, 'utf8') !== 'not committed\n') one.broken(`${ids[2]} lost what it had not committed`)
    await act(world, ['pr', 'review', String((await pullOf(id))?.number), '--approve'])
    await killer.until(`round ${round}: ${id} is merged`, async () => (await shown(id)).status === 'merged')
  }
  const subjects = inRepo('log', '--format=%s', 'main').split('\n')
  for (const name of names)
    if (subjects.filter((subject) => subject.startsWith(`${name} `)).length !== 1)
      one.broken(`${name} did not land once`)
  for (const name of [...names, `more-${round}`])
    if (inRepo('show', `main:${name}`) !== name) one.broken(`${name} is not in main as it was made`)
  for (const { head, base, state } of await pulls())
    if (ids.some((id) => head === `session/${id}`) && (base !== 'main' || state !== 'merged'))
      one.broken(`${head} ended ${state} for ${base}`)
}
