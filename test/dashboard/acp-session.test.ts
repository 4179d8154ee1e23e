// A session on agh over the dashboard: its questions on the card, answers of people, and the transcript in the stream.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TranscriptMessage } from '../../src/contract/agh/transcript.ts'
import type { SpawnAnswer } from '../../src/contract/dashboard/answers.ts'
import type { Board, SessionCard } from '../../src/contract/dashboard/cards.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { answerActions } from '../../src/lifecycle/notify/answer-actions.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { waitFor } from '../support/wait-for.ts'
import { type EventReader, readEvents } from './event-source.ts'
import { type ServedProject, serveProject } from './served-project.ts'

let world: ServedProject
let beside: AghBeside
let readers: EventReader[]

beforeEach(async () => {
  readers = []
  world = await serveProject({ yaml: ['agent: demo', 'runtime: acp', 'agentConfig: { permissions: default }'] })
  beside = aghBeside(world.temp.home, world.temp.env)
})
afterEach(async () => {
  for (const reader of readers) reader.close()
  await world.api('POST', '/api/sessions/app-1/kill', { purge: true })
  await beside.stop()
  expect(await world.close()).toEqual([])
}, 60_000)

async function open(lastEventId: string | null = null): Promise<EventReader> {
  const token = readFileSync(runFiles(world.context.paths).token, 'utf8').trim()
  const reader = await readEvents({ port: world.server.port, token, path: '/api/stream?session=app-1', lastEventId })
  readers.push(reader)
  return reader
}

function messages(...sources: EventReader[]): Map<string, TranscriptMessage> {
  const all = sources.flatMap(({ frames }) =>
    frames.flatMap((frame) => (frame.event === 'transcript' ? frame.data.messages : [])),
  )
  return new Map(all.map((message) => [message.id, message]))
}

const says = (text: string, ...sources: EventReader[]) =>
  waitFor(`the words ${text}`, () =>
    [...messages(...sources).values()].some((message) => JSON.stringify(message).includes(text)),
  )

function asks(what: string): Promise<SessionCard> {
  return waitFor(
    `the question ${what}`,
    async () => {
      const { sessions } = (await world.api<Board>('GET', '/api/sessions')).body
      return sessions.find(({ permissions }) => permissions.some(({ title }) => title.includes(what)))
    },
    40_000,
  )
}

/** The links of a notification: opening one does nothing, its button answers, and the other one is then worth nothing. */
async function answeredByLink({ permissions }: SessionCard): Promise<void> {
  const { paths, config, clock } = world.context
  const page = `http://127.0.0.1:${world.server.port}`
  const place = {
    config: { ...config, dashboard: { url: page } },
    page,
    keyFile: runFiles(paths).links,
    now: clock.now().getTime(),
  }
  const [allow, deny] = answerActions(place, 'app-1', permissions).map(({ url }) => url)
  const open = async (url: string, method = 'GET') => {
    const response = await fetch(url, { method })
    return `${response.status} ${await response.text()}`
  }
  const another = answerActions(place, 'app-1', [{ ...permissions[0]!, askedAt: '2020-01-01T00:00:00.000Z' }])
  expect(await open(another[0]!.url, 'POST')).toMatch(/^409 .*no longer waits/s)
  expect(await open(`${allow}x`, 'POST')).toMatch(/^404 .*not valid/s)
  for (const method of ['GET', 'GET']) {
    expect(await open(allow!, method)).toMatch(/^200 .*app-1.*keep a note.*<form method="post"><button>Allow once</s)
  }
  expect(await open(allow!, 'POST')).toMatch(/^200 .*Allowed once/s)
  for (const url of [allow!, deny!]) {
    expect(await open(url, 'POST')).toMatch(/^409 .*no longer waits/s)
    expect(await open(url)).toMatch(/^410 .*Nothing to answer/s)
  }
}

it('asks on its card, is answered on the page and by a link, and streams its conversation without loss or repeat', async () => {
  const steps = [
    'say I have a plan.',
    'permission delete all',
    'append notes.md gone',
    'permission keep a note',
    'append notes.md kept',
    'finish All done.',
  ]
  const prompt = ['```demo', ...steps, '```'].join('\n')
  const { body } = await world.api<SpawnAnswer>('POST', '/api/sessions', { projectId: 'app', prompt })
  expect(body).toMatchObject({ spawned: [{ sessionId: 'app-1' }], failed: [] })
  const first = await open()
  await says('I have a plan.', first)
  const card = await asks('delete all')
  expect(card).toMatchObject({ column: 'needs_you', can: { view: 'transcript' } })

  const { requestId } = card.permissions[0]!
  const answer = (decision: string, id: string) =>
    world.api('POST', '/api/sessions/app-1/permission', { requestId: id, decision })
  const older = { requestId, askedAt: '2020-01-01T00:00:00.000Z', decision: 'allow-once' }
  const refused = await world.api('POST', '/api/sessions/app-1/permission', older)
  expect(refused.body.error?.code, 'asked by an earlier launch under the same id').toBe('PERMISSION_NOT_FOUND')
  expect((await answer('reject-once', requestId)).body).toMatchObject({ ok: true, requestId })
  expect((await answer('reject-once', requestId)).body.error?.code).toBe('PERMISSION_NOT_FOUND')
  const next = await asks('keep a note')
  await says('keep a note', first)
  first.close()
  await answeredByLink(next)

  const answers = world.context.store('app').readHistory('app-1').events
  expect(answers.flatMap((event) => (event.type === 'permission.answered' ? event.by : []))).toEqual([
    'the API',
    'a link in a notification',
  ])

  const second = await open(first.lastId())
  await says('All done.', second)
  expect([...messages(second).values()].some((message) => message.text.includes('I have a plan.'))).toBe(false)
  const numbers = [...messages(first, second).values()].map(({ sequence }) => sequence)
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
}, 120_000)

it('a turn is stopped by a person: the agent stays and waits, and the history says so', async () => {
  const prompt = ['```demo', 'say I begin.', 'stuck', 'finish never', '```'].join('\n')
  await world.api<SpawnAnswer>('POST', '/api/sessions', { projectId: 'app', prompt })
  const reader = await open()
  await says('I begin.', reader)
  expect((await world.api('POST', '/api/sessions/app-1/stop-turn', {})).body).toEqual({ ok: true })
  const card = await waitFor('the end of the turn', async () => {
    const { sessions } = (await world.api<Board>('GET', '/api/sessions')).body
    return sessions.find(({ need }) => need?.kind === 'finished')
  })
  expect(card).toMatchObject({ id: 'app-1', status: 'working', activity: 'ready', column: 'needs_you' })
  const ended = await waitFor('the end in the transcript', () =>
    [...messages(reader).values()].find(({ role }) => role === 'turn_end'),
  )
  expect(ended).toMatchObject({ canceled_by: 'user' })
  const types = world.context
    .store('app')
    .readHistory('app-1')
    .events.map(({ type }) => type)
  expect(types).toContain('turn.stopped')
})
