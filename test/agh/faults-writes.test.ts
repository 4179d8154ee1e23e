// The process that owns a session is killed after each of its writes, one after the other: alone, and its agent goes on; or
// with the agent's host, and the session is repaired.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { approve, getSession, listSessions, resume, startRepairs, stopSession } from '../../src/agh/runtime.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { NOT_DELIVERED_HERE } from '../../src/core/agh/session/waiting-prompt.ts'
import { ofType } from '../support/agh-events.ts'
import { repeats } from '../support/cover.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { expectWhole, processesOf } from './check-history.ts'
import { hostOf, killHost } from './host-of.ts'

/** Many short processes of the same code. */
const cache = mkdtempSync(join(tmpdir(), 'agh-cache-'))
afterAll(() => rmSync(cache, { recursive: true, force: true }))
const LIFE = testProgram('agh-life')

interface Acknowledged {
  created?: string
  prompted?: number
  queued?: string
  text?: string
  seen?: number[]
  stopped?: string
  approved?: string
  set?: string
  resumed?: string
  finished?: true
}

/** How the process ended, and what it had printed before. */
async function live(agh: AghHome, how: NodeJS.ProcessEnv): Promise<{ killed: boolean; lines: Acknowledged[] }> {
  const child = spawn(process.execPath, [LIFE, agh.workspace], {
    env: { ...agh.context.env, ...how },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const text = await readAll(child)
  const lines = text.split('\n').filter(Boolean)
  return { killed: child.signalCode === 'SIGKILL', lines: lines.map((line) => JSON.parse(line) as Acknowledged) }
}

async function readAll(child: ChildProcess): Promise<string> {
  let text = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  await new Promise((resolve) => child.once('close', resolve))
  return text
}

const openHome = () => createAghHome({ agent: 'resume,options', env: { NODE_COMPILE_CACHE: cache } })

/** false: it came to its end before. */
async function dieAt(time: number): Promise<boolean> {
  const agh = openHome()
  try {
    return await dieIn(agh, time)
  } finally {
    expect(await agh.cleanup()).toEqual([])
  }
}

async function dieIn(agh: AghHome, time: number): Promise<boolean> {
  const { killed, lines } = await live(agh, { AO_FAILPOINT: `agh-write:${time}` })
  await goOn(agh, time % 3 === 0)
  const { sessions } = await listSessions(agh.context)
  expect(sessions).toHaveLength(1)
  const { id, state, process: left } = sessions[0]!
  expect([state, left]).toEqual(['stopped', null])
  expect(lines.flatMap(({ created }) => created ?? [])).toEqual(lines[0]?.created === undefined ? [] : [id])
  const events = await agh.events(id)
  expectWhole(events)
  const seen = lines.flatMap((fact) => fact.seen ?? [])
  expect(events.length).toBeGreaterThanOrEqual(Math.max(0, ...seen))
  expectAcknowledged(sessions[0]!, events, lines)
  expect(processesOf(id)).toBe(0)
  expect(readdirSync(join(agh.context.paths.sessions, id)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  // Once is enough: a second start changes nothing.
  await startRepairs(agh.restart()).ready()
  expect(await agh.events(id)).toEqual(events)
  if (killed && time % 4 === 1) expect(await resume(agh.context, id)).toMatchObject({ id, state: 'active' })
  if (!killed) expect(await getSession(agh.context, id)).toMatchObject({ stop_reason: 'user_canceled', failure: null })
  return killed
}

/** The next owner takes over; what it continues comes to its end, and is stopped. */
async function goOn(agh: AghHome, withoutHost: boolean): Promise<void> {
  const context = agh.restart()
  const [left] = (await listSessions(context)).sessions
  if (withoutHost && left && hostOf(context.paths, left.id)) await killHost(context.paths, left.id)
  await startRepairs(context).ready()
  const session = left && context.live.get(left.id)
  if (!session) return
  expect([withoutHost, left.state]).toEqual([false, 'active'])
  await waitFor('the end of its turn', async () => {
    for (const { request_id } of (await getSession(context, left.id)).pending_permissions) {
      await approve(context, left.id, { request_id, decision: 'allow-once' })
    }
    return session.running === null
  })
  const events = await agh.events(left.id)
  const ends = events.filter(({ type }) => type === 'done' || type === 'error')
  const cut = ends.filter(({ type, content }) => type === 'error' && content.error !== NOT_DELIVERED_HERE)
  expect(cut).toEqual([])
  await stopSession(context, left.id, null)
}

function expectAcknowledged(meta: SessionView, events: readonly SessionEvent[], lines: readonly Acknowledged[]): void {
  for (const { prompted, queued, text, approved, set, stopped } of lines) {
    if (queued !== undefined) {
      const requests = ofType(events, 'user_message').filter(({ content }) => content.text === queued)
      expect(requests).toHaveLength(1)
    }
    if (prompted !== undefined) expect(events[prompted - 1]).toMatchObject({ type: 'user_message', content: { text } })
    if (set !== undefined) expect(meta.settings).toMatchObject({ mode: set })
    if (stopped !== undefined) expect(events).toContainEqual(expect.objectContaining({ type: 'session_stopped' }))
    if (approved === undefined) continue
    const answers = ofType(events, 'permission').filter(
      ({ content }) => content.request_id === approved && content.decision !== null,
    )
    expect(answers.map(({ content }) => [content.decision, content.decided_by])).toEqual([['allow-once', 'user']])
  }
}

const FACTS = ['created', 'prompted', 'queued', 'approved', 'set', 'stopped', 'resumed'] as const

it.each([
  ...FACTS.map((fact) => [fact, 'alone', false] as const),
  ...(['prompted', 'approved'] as const).map((fact) => [fact, 'with the host of its agent', true] as const),
])(
  'S4.26 S4.110 killed right after it acknowledged that it was %s, %s, a session has it',
  async (fact, _how, withoutHost) => {
    const agh = openHome()
    try {
      const { killed, lines } = await live(agh, { DIE_AFTER: fact })
      expect([killed, lines.at(-1)?.[fact] !== undefined]).toEqual([true, true])
      await goOn(agh, withoutHost)
      const [meta] = (await listSessions(agh.context)).sessions
      const events = await agh.events(meta!.id)
      expectWhole(events)
      expectAcknowledged(meta!, events, lines)
    } finally {
      expect(await agh.cleanup()).toEqual([])
    }
  },
)

const MORE_THAN_ALL = 200
/** Every second write in `npm test`. */
const STEP = repeats(1, 2)

it('S4.26 S4.93 S4.100 S4.101 killed after any of its writes, a session keeps what it acknowledged and nothing twice', async () => {
  let next = 1
  let alive = false
  // Two at a time: each spends most of its time waiting for processes.
  const walk = async () => {
    while (!alive && next < MORE_THAN_ALL) {
      const time = next
      next += STEP
      if (!(await dieAt(time))) alive = true
    }
  }
  await Promise.all([walk(), walk()])
  expect(alive).toBe(true)
  expect(next).toBeGreaterThan(20)
}, 240_000)
