// A session on agh over the dashboard: its questions on the card, answers of people, and the transcript in the stream.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TranscriptMessage } from '../../src/contract/agh/transcript.ts'
import type { SpawnAnswer } from '../../src/contract/dashboard/answers.ts'
import type { Board, SessionCard } from '../../src/contract/dashboard/cards.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
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

it('asks on its card, is answered, and streams its conversation without loss or repeat', async () => {
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
  expect((await answer('reject-once', requestId)).body).toMatchObject({ ok: true, requestId })
  expect((await answer('reject-once', requestId)).body.error?.code).toBe('PERMISSION_NOT_FOUND')
  const next = await asks('keep a note')
  await says('keep a note', first)
  first.close()
  await answer('allow-once', next.permissions[0]!.requestId)

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
