// Work that is split: an agent proposes parts, a person changes and accepts them, and only then issues and sessions are made.
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({
    config:
      'defaults: { notifiers: [], runtime: process }\nprojects: { app: { path: ., agent: demo, tracker: local, scm: { plugin: local } } }\n',
  })
  await world.ao(['issue', 'new', 'large'])
})

afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const PARTS = {
  children: [
    { key: 'ui', title: 'The page', needs: ['api'] },
    { key: 'api', title: 'The server', body: 'demo: finish done' },
  ],
}

interface Shown {
  plan: {
    id: string
    state: string
    by: string
    digest: string
    children: Array<{ key: string; issue?: string; session?: string }>
  }
}

const propose = async (env: NodeJS.ProcessEnv = {}) =>
  (await world.json<Shown>(['plan', 'propose', '1', '--file', '-'], { input: JSON.stringify(PARTS), env })).plan
const made = async () => {
  const { issues } = await world.json<{ issues: Array<{ title: string }> }>(['issue', 'ls'])
  const { sessions } = await world.json<{ sessions: Array<{ id: string }> }>(['session', 'ls'])
  return [issues.map(({ title }) => title).sort(), sessions.map(({ id }) => id)]
}

it('makes nothing until a person accepts it, and then each part with what it needs', async () => {
  const inside = { AO_SESSION: 'app-9', AO_CALLER_TYPE: 'agent' }
  const { id, by } = await propose(inside)
  expect(by).toBe('app-9')
  for (const command of ['accept', 'edit', 'discard']) {
    const refused = await world.ao(['plan', command, id], { env: inside, input: '{}' })
    expect(refused.stderr).toContain(`ao plan ${command} is not for the agent of a session`)
  }
  expect(await made()).toEqual([['large'], []])

  const cut = { children: PARTS.children.map((one) => ({ ...one, title: `${one.title}!` })) }
  await world.ao(['plan', 'edit', id, '--file', '-'], { input: JSON.stringify(cut) })
  // Its agent knows the mark of each part, and has an issue of another text ready.
  const other = [
    '--title',
    'The server!',
    '--body',
    `Something else\n\nIt is part of issue 1.\n\nPart api of plan ${id}`,
  ]
  expect((await world.ao(['gh', 'issue', 'create', ...other], { env: inside })).code).toBe(0)
  // Read, then changed by somebody: only what was read can be accepted.
  const { plan: read } = await world.json<Shown>(['plan', 'show', id])
  await world.ao(['plan', 'edit', id, '--file', '-'], { input: JSON.stringify(PARTS) })
  expect((await world.ao(['plan', 'accept', id, '--read', read.digest])).stderr).toContain('is no longer what was read')
  expect((await world.ao(['plan', 'accept', id])).stderr).toContain('it takes the digest of what you read')
  expect((await made())[1]).toEqual([])
  await world.ao(['plan', 'edit', id, '--file', '-'], { input: JSON.stringify(cut) })
  expect((await world.ao(['plan', 'show', id])).stdout).toContain(`ao plan accept ${id} --read ${read.digest}`)
  const { plan } = await world.json<Shown>(['plan', 'accept', id, '--read', read.digest])
  expect(plan).toMatchObject({
    state: 'done',
    children: [
      { key: 'api', issue: '3', session: 'app-1' },
      { key: 'ui', issue: '4', session: 'app-2' },
    ],
  })
  expect(await made()).toEqual([
    ['The page!', 'The server!', 'The server!', 'large'],
    ['app-1', 'app-2'],
  ])
  expect((await world.ao(['why', 'app-2'])).stdout).toMatch(/it waits for #3[\s\S]*it is part 2\/2 of task/)
  expect((await world.ao(['plan', 'edit', id, '--file', '-'], { input: JSON.stringify(PARTS) })).stderr).toContain(
    'is done',
  )
})

it.each(['plan.accepted', 'plan.part-made', 'plan.part-made:2'])(
  'makes nothing twice when it is killed at %s, and the next command completes it',
  async (point) => {
    const { id, digest } = await propose()
    expect((await world.ao(['plan', 'accept', id, '--read', digest], { env: { AO_FAILPOINT: point } })).signal).toBe(
      'SIGKILL',
    )
    await world.ao(['spawn', '--prompt', 'demo: finish done'])
    const { plan } = await world.json<Shown>(['plan', 'show', id])
    expect(plan.state).toBe('done')
    expect((await made())[0]).toEqual(['The page', 'The server', 'large'])
    expect(new Set(plan.children.map(({ session }) => session)).size).toBe(2)
    expect((await made())[1]).toHaveLength(3)
  },
)
