// Work on top of work that has not landed, with real agents, branches and pull requests of the local forge.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process }
reactions: { approved-and-green: { auto: true } }
projects:
  app:
    path: .
    agent: demo
    agentConfig: { permissions: skip }
    tracker: local
    scm: { plugin: local, merge: squash }
    speculate: true
`

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  await world.agree()
  await world.ao(['start'])
})

afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

interface Shown {
  session: { id: string; status: string; branch: string; workspacePath: string; metadata: Record<string, string> }
}

const show = async (id: string) => (await world.json<Shown>(['session', 'show', id])).session
const work = (file: string, ...more: string[]) =>
  [`demo: write ${file} done`, `demo: commit ${file}`, ...more, 'demo: finish done'].join('\n')

const spawn = async (...args: string[]) => {
  const answer = await world.json<Partial<Shown>>(['spawn', ...args])
  if (!answer.session) throw new Error(JSON.stringify(answer))
  return answer.session.id
}

const inRepo = (...args: string[]) => git(world.repo, world.temp.env, ...args)

const pullOf = (id: string) =>
  waitFor(`the pull request of ${id}`, async () => {
    const { pullRequests } = await world.json<{
      pullRequests: Array<{ number: number; base: string; head: string; state: string }>
    }>(['pr', 'ls', '--all'])
    return pullRequests.find(({ head }) => head === `session/${id}`)
  })

it('starts on the branch of what it needs, follows it, and lands behind it on the default branch', async () => {
  const first = await spawn('--prompt', work('one', 'demo: pr one'))
  const second = await spawn('--prompt', work('two', 'demo: pr two'), '--needs', first)
  expect(JSON.parse((await show(second)).metadata.stack ?? 'null')).toMatchObject({ on: first })
  expect(await pullOf(second)).toMatchObject({ base: `session/${first}` })

  // Uncommitted work of the one above stays, whatever happens below.
  const { workspacePath } = await show(second)
  writeFileSync(join(workspacePath, 'two'), 'changed\n')
  writeFileSync(join(workspacePath, 'draft'), 'not added\n')
  await world.ao(['send', first, work('more')])
  await waitFor('the restack', async () =>
    inRepo('ls-tree', '--name-only', `session/${second}`).split('\n').includes('more'),
  )
  expect(git(workspacePath, world.temp.env, 'status', '--porcelain')).toBe('M two\n?? draft')
  expect(inRepo('log', '--format=%s', `session/${first}..session/${second}`)).toBe('two')

  const below = await pullOf(first)
  expect((await world.ao(['pr', 'merge', String((await pullOf(second)).number)])).code).not.toBe(0)
  await world.ao(['pr', 'review', String(below.number), '--approve'])
  await waitFor('the landing below', async () => (await show(first)).status === 'merged')
  const above = await waitFor('the new base', async () => {
    const pull = await pullOf(second)
    return pull.base === 'main' ? pull : null
  })
  await waitFor('the restack onto main', async () => inRepo('log', '--format=%s', `main..session/${second}`) === 'two')
  await world.ao(['pr', 'review', String(above.number), '--approve'])
  await waitFor('the landing above', async () => (await show(second)).status === 'merged')
  expect(inRepo('log', '--format=%s', 'main').split('\n')).toHaveLength(3)
  expect(inRepo('ls-tree', '--name-only', 'main').split('\n')).toEqual(expect.arrayContaining(['one', 'more', 'two']))
}, 60_000)

it('asks its agent once about a conflict, lands in no other way, and asks a person once what it stands on is gone', async () => {
  const first = await spawn('--prompt', work('one'))
  await waitFor('the first commit', async () => inRepo('log', '-1', '--format=%s', `session/${first}`) === 'one')
  const above = ['demo: write one mine', 'demo: commit mine', 'demo: pr mine', 'demo: run gh pr edit --base main']
  const second = await spawn('--prompt', [...above, 'demo: finish done'].join('\n'), '--base', first)
  const own = await pullOf(second)
  await waitFor('its agent to make it for main', async () => (await pullOf(second)).base === 'main')
  await world.ao(['pr', 'review', String(own.number), '--approve'])

  // A base that cannot be read now is not one that is gone.
  const ref = join(world.repo, '.git', 'refs', 'heads', 'session', first)
  const tip = inRepo('rev-parse', `session/${first}`)
  const stack = (await show(second)).metadata.stack
  writeFileSync(ref, '')
  await waitFor('a round', async () => (await world.ao(['stop'])).code === 0 && (await world.ao(['start'])).code === 0)
  writeFileSync(ref, `${tip}\n`)
  expect((await show(second)).metadata.stack).toBe(stack)

  for (const text of ['theirs', 'theirs again'])
    await world.ao(['send', first, `demo: write one ${text}\ndemo: commit ${text}\ndemo: finish done`])
  const messages = async () => {
    const { events } = await world.json<{ events: Array<{ type: string; source?: string }> }>(['events', second])
    return events.filter(({ type, source }) => type === 'message.queued' && source === 'restack')
  }
  await waitFor('the message', async () =>
    (await world.ao(['why', second])).stdout.includes('its agent was asked to rebase it onto'),
  )
  expect((await world.ao(['pr', 'merge', String(own.number)])).stderr).toContain(`it stands on ${first}`)
  await world.ao(['session', 'kill', first])
  await waitFor('the question', async () =>
    (await world.ao(['why', second])).stdout.includes(`it stands on ${first}, which ended without landing`),
  )
  expect(await messages()).toHaveLength(1)
  expect((await pullOf(second)).state).toBe('open')
  expect(inRepo('ls-tree', '--name-only', 'main')).not.toContain('one')
  // A copy stands where the other does.
  const { session } = await world.json<Shown>(['session', 'fork', second])
  const { on, at } = JSON.parse((await show(second)).metadata.stack ?? 'null')
  expect(JSON.parse((await show(session.id)).metadata.stack ?? 'null')).toMatchObject({ on, at })
}, 60_000)
