// An agent that lies in every way the protocol allows, beside one that does not. A person answers what is shown: no to everything
// with EVIL in it or cut, yes to what is SAFE. AGH_LIES_SEED repeats a run.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import type { PendingPermission } from '../../src/contract/agh/session-meta.ts'
import { AoError } from '../../src/contract/errors.ts'
import { CUT, describeRequest } from '../../src/core/queue/describe-request.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { repeats } from '../support/cover.ts'
import { type Directories, LIES, randomFrom, type Step } from './acp-lies.ts'
import { AGENT, type AghHome, createAghHome, text } from './agh-home.ts'
import { expectTurnsWhole } from './check-history.ts'

const HOSTILE = join(import.meta.dirname, '..', 'fixtures', 'hostile-acp.mjs')
const SECRET = 'the-secret-beside-the-workspace'
/** Rounds over all lies, each with a few others before it. */
const ROUNDS = repeats(12, 2)
const SEED = Number(process.env.AGH_LIES_SEED ?? Date.now() % 1_000_000)

let agh: AghHome
let where: Directories
let log: string
beforeEach(() => {
  agh = createAghHome({
    command: [process.execPath, HOSTILE],
    files: { 'agents/honest/AGENT.md': `---\ncommand: ${JSON.stringify([process.execPath, AGENT])}\n---\n` },
  })
  where = { workspace: agh.workspace, outside: join(agh.home, 'outside') }
  log = join(agh.home, 'hostile.log')
  mkdirSync(where.outside)
  mkdirSync(join(where.workspace, 'nested'))
  mkdirSync(join(where.workspace, '.git', 'hooks'), { recursive: true })
  writeFileSync(join(where.outside, 'secret.txt'), SECRET)
  symlinkSync(where.outside, join(where.workspace, 'link'))
  symlinkSync(join(where.outside, 'secret.txt'), join(where.workspace, 'link-to-file'))
  symlinkSync('../..', join(where.workspace, 'nested', 'up'))
  writeFileSync(agh.context.paths.config, '[http]\nport = 0\n')
  writeFileSync(log, '')
})
afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

const call = <T>(path: string, body?: object) =>
  callDaemon<T>(agh.context.paths.socket, path, body === undefined ? {} : { method: 'POST', body })
const get = async (id: string) => (await call<{ session: SessionView }>(`/api/sessions/${id}`)).session

async function create(agent_name: string): Promise<string> {
  const body = { workspace_path: where.workspace, agent_name }
  return (await call<{ session: SessionView }>('/api/sessions', body)).session.id
}

async function prompt(id: string, message: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  const path = `/api/sessions/${id}/prompt`
  for await (const event of followDaemon(agh.context.paths.socket, path, { method: 'POST', body: { message } })) {
    events.push(event)
  }
  return events
}

function mayAllow(request: PendingPermission): boolean {
  const shown = describeRequest({ ...request, isCut: request.input_cut, diffsOmitted: request.diffs_omitted })
  return !shown.includes(CUT) && /SAFE/.test(shown.join('\n')) && !/EVIL/.test(shown.join('\n'))
}

/** Answers until it is told to stop. Resolves with how many questions were allowed. */
async function answerAll(id: string, isOver: () => boolean): Promise<number> {
  let allowed = 0
  while (!isOver()) {
    for (const request of (await get(id)).pending_permissions) {
      const decision = mayAllow(request) ? 'allow-once' : 'reject-once'
      // Not offered, or withdrawn meanwhile: then there is no answer.
      const isGiven = await call(`/api/sessions/${id}/approve`, { request_id: request.request_id, decision }).then(
        () => true,
        (error) => error instanceof AoError && error.code === 'INTERNAL' && Promise.reject(error),
      )
      if (isGiven && decision === 'allow-once') allowed++
    }
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  return allowed
}

interface Report {
  lie: string
  isEvil: boolean
  kinds: string[]
  reply: { result?: { outcome?: object } | null; error?: object } | null
}

const told = () =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Report)

it('reaches nothing that a person did not see, whatever it says, and disturbs nobody', {
  timeout: 600_000,
}, async () => {
  const daemon = await startDaemon(agh.context.paths, { ...agh.context.env, HOSTILE_LOG: log })
  const honest = await create('honest')
  const random = randomFrom(SEED)
  const hostile: string[] = []
  let current = ''
  let cases = 0
  let allowed = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const lie of Object.keys(LIES)) {
      cases++
      if (current === '' || (await get(current)).state !== 'active') {
        current = await create('general')
        hostile.push(current)
      }
      const others = Array.from({ length: random.int(3) }, () => random.pick(Object.keys(LIES)))
      // One that ends the turn is the last.
      const steps = [...others.filter((one) => !/turn|answer|cancel/.test(one)), lie].flatMap((name) =>
        LIES[name]!(random, where, cases).map((step): Step => ({ ...step, lie: name })),
      )
      let isOver = false
      const answering = answerAll(current, () => isOver)
      try {
        const turn = prompt(current, JSON.stringify(steps))
        const beside = cases % 8 === 0 ? prompt(honest, `say beside ${cases}`) : null
        if (/cancel/.test(lie)) await call(`/api/sessions/${current}/prompt/cancel`, {})
        const events = await turn
        expect(['done', 'error']).toContain(events.at(-1)?.type)
        expect(JSON.stringify(ofType(events, 'agent_message'))).not.toContain('FOREIGN')
        if (beside) expect(text(await beside)).toBe(`beside ${cases}`)
      } catch (error) {
        throw new Error(`${lie}, seed ${SEED}`, { cause: error })
      } finally {
        isOver = true
        allowed += await answering
      }
    }
  }
  console.log(`a hostile agent: ${cases} cases, ${told().length} requests, ${allowed} allowed, seed ${SEED}`)
  await checkEverything({ hostile, honest, pid: daemon.pid })
  expect(allowed).toBeGreaterThan(ROUNDS)
})

async function checkEverything(of: { hostile: string[]; honest: string; pid: number }): Promise<void> {
  // Nothing outside was read or written.
  expect(readdirSync(where.outside)).toEqual(['secret.txt'])
  expect(readFileSync(join(where.outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  expect(readFileSync(log, 'utf8')).not.toContain(SECRET)
  // Nothing was allowed that a person did not see: neither by an answer nor in deed.
  const evil = told().filter(({ isEvil }) => isEvil)
  expect(evil.filter(({ kinds }) => kinds.some((kind) => kind.startsWith('allow')))).toEqual([])
  expect(evil.filter(({ reply }) => reply?.result && !reply.result.outcome)).toEqual([])
  const { workspace } = where
  expect(spawnSync('find', [workspace, '-name', '*EVIL*'], { encoding: 'utf8' }).stdout).toBe('')
  expect(spawnSync('grep', ['-rlF', 'EVIL', workspace], { encoding: 'utf8' }).stdout).toBe('')
  // The daemon is the same, and every log is whole and can be read.
  expect(await daemonStatus(agh.context.paths)).toMatchObject({ pid: of.pid })
  expect((await daemonStatus(agh.context.paths))!.memory_bytes).toBeLessThan(600 * 2 ** 20)
  for (const id of [of.honest, ...of.hostile]) {
    const events = await readAll(id)
    const isWhole = events.filter(({ turn_id }) => turn_id !== null)
    expect(isWhole.length).toBeGreaterThan(0)
    expectTurnsWhole(events)
    await call(`/api/sessions/${id}/history`)
    // Every question has one answer at most, and none came from nowhere.
    const questions = ofType(events, 'permission')
    const answered = questions
      .filter(({ content }) => content.decision !== null)
      .map(({ content }) => content.request_id)
    const requestIds = questions.map(({ content }) => content.request_id).filter((one) => one !== undefined)
    expect(answered.filter((one) => one !== undefined && !requestIds.includes(one))).toEqual([])
  }
  expect((await get(of.honest)).state).toBe('active')
}

async function readAll(id: string): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (;;) {
    const after = all.at(-1)?.sequence ?? 0
    const { events } = await call<{ events: SessionEvent[] }>(`/api/sessions/${id}/events?after=${after}&limit=10000`)
    if (events.length === 0) return all
    all.push(...events)
  }
}
