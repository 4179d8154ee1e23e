// ao's sessions on agh, from end to end: the real commands, the loop, git, and the demo agent over ACP.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { WaitingMessage } from '../../src/contract/dashboard/messages.ts'
import type { SessionEvent } from '../../src/contract/events.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `readyThresholdMs: 2000
lifecycle: { pollSeconds: 1 }
defaults: { runtime: acp, notifiers: [] }
reactions:
  approved-and-green: { auto: true }
  agent-stuck: { action: send-to-agent, message: 'You have been silent: go on.' }
projects:
  app:
    path: .
    agent: demo
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: 'cat answer && grep -q 42 answer' }] } }
`

let world: AoWorld
let beside: AghBeside

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  beside = aghBeside(world.temp.home, world.temp.env)
  writeFileSync(join(world.repo, 'answer'), '42\n')
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'base')
  await world.agree()
})

afterEach(async () => {
  await world.ao(['stop'])
  await beside.stop()
  expect(await world.temp.cleanup()).toEqual([])
})

async function spawn(...script: string[]): Promise<string> {
  const prompt = script.map((line) => `demo: ${line}`).join('\n')
  const answer = await world.json<{ session?: { id: string } }>(['spawn', '--prompt', prompt])
  if (!answer.session) throw new Error(JSON.stringify(answer))
  return answer.session.id
}

async function history(id: string): Promise<SessionEvent[]> {
  return (await world.json<{ events: SessionEvent[] }>(['events', id, '--last', '1000'])).events
}

const statuses = async (id: string) =>
  (await history(id)).flatMap((one) => (one.type === 'status.changed' ? [one.to as string] : []))

const untilNoted = (id: string, status: string) =>
  waitFor(
    `${id} is ${status}`,
    async () => {
      const seen = await statuses(id)
      return seen.includes(status) || Promise.reject(new Error(seen.join(' ')))
    },
    45_000,
  )

interface Listed {
  id: string
  status: string
  activity: string
  cost: { estimatedCostUsd: number | null } | null
}

async function listed(id: string): Promise<Listed> {
  const { sessions } = await world.json<{ sessions: Listed[] }>(['session', 'ls', '--all'])
  return sessions.find((one) => one.id === id)!
}

const untilListed = (id: string, status: string) =>
  waitFor(`${id} to be ${status}`, async () => (await listed(id)).status === status, 20_000)

const historyOf = (id: string) => beside.agh('session', 'history', sessionOf(id))

function sessionOf(id: string): string {
  return beside.sessions().find(({ driver }) => driver?.key.endsWith(`-${id}`))!.id
}

describe('with the loop', () => {
  it('runs from the issue to the merge: CI fails, the agent gets a message and repairs it, approval merges it', async () => {
    await world.ao(['start'])
    const id = await spawn(
      ...['write answer 41', 'commit a guess', 'pr The answer', 'finish done'],
      ...['on ci-failed:', 'write answer 42', 'append notes checked', 'commit the answer', 'push', 'finish repaired'],
    )
    await untilNoted(id, 'ci_failed')
    await untilNoted(id, 'review_pending')
    const told = (await history(id)).filter((one) => one.type === 'message.queued' && one.source === 'ci-failed')
    expect(told).toHaveLength(1)
    expect((await world.ao(['pr', 'review', '1', '--approve'])).code).toBe(0)
    await untilNoted(id, 'merged')
    expect(readFileSync(join(world.repo, 'notes'), 'utf8')).toContain('checked')
    expect(historyOf(id)).toMatch(/\* Edit answer \(completed\)\n {4}answer \+1 -1/)
  }, 90_000)

  it('a question is needs_input immediately, and ao session approve answers it', async () => {
    await world.ao(['start'])
    const id = await spawn('permission delete everything', 'append notes gone', 'finish done')
    await untilNoted(id, 'needs_input')
    const noted = (await history(id)).find((one) => one.type === 'status.changed' && one.to === 'needs_input')!
    const { session } = await world.json<{ session: { lastActivityAt: string } }>(['session', 'show', id])
    // Pushed, not polled; a loaded machine gets a little more than the aim of 100 ms.
    expect(Date.parse(noted.at) - Date.parse(session.lastActivityAt)).toBeLessThan(1_000)
    expect((await world.ao(['session', 'show', id])).stdout).toMatch(/asks .*perm-1\n +delete everything/)
    const answer = await world.json(['session', 'approve', id, '--deny'])
    expect(answer).toMatchObject({ code: 0, sessionId: id, requestId: 'perm-1', decision: 'reject-once' })
    await untilListed(id, 'working')
    await waitFor('the end of the turn', () => historyOf(id).includes('Finished.'))
    // Refused, so the next step was left out.
    expect(historyOf(id)).not.toContain('* Edit notes')
    const answered = (await history(id)).find(({ type }) => type === 'permission.answered')
    expect(answered).toMatchObject({ title: expect.any(String), option: expect.any(String) })
    const none = await world.ao(['session', 'approve', id])
    expect(none.code).toBe(5)
    expect(none.stderr).toContain('asks for nothing')
  })

  it('an agent that goes silent in its turn is nudged, once, and continues', async () => {
    await world.ao(['start'])
    const id = await spawn('stuck', 'append notes awake', 'commit awake', 'pr Awake', 'finish done')
    await untilNoted(id, 'stuck')
    await untilNoted(id, 'pr_open')
    const nudges = (await history(id)).filter((one) => one.type === 'message.queued' && one.source === 'agent-stuck')
    expect(nudges).toHaveLength(1)
  }, 90_000)
})

describe('by the commands alone', () => {
  it('starts agh on its own, queues messages while a turn runs, which can be edited and withdrawn, and hands each over once', async () => {
    const id = await spawn('think 600', 'say slow')
    const first = await world.json<{ receipt: object }>(['send', id, 'demo: say second', '--timeout', '0.2'])
    expect(first.receipt).toMatchObject({ level: 'handed_over', why: 'it waits behind the turn that runs' })
    await world.json(['send', id, 'demo: say never', '--timeout', '0'])
    const { waiting } = await world.json<{ waiting: WaitingMessage[] }>(['session', 'messages', id])
    expect(waiting.map(({ text, state }) => [text, state])).toEqual([
      ['demo: say second', 'behind_turn'],
      ['demo: say never', 'behind_turn'],
    ])
    const [second, never] = waiting.map(({ messageId }) => messageId.slice(0, 8)) as [string, string]
    const withdrawn = await world.json<{ waiting: object[] }>(['session', 'messages', id, '--withdraw', never])
    expect(withdrawn.waiting).toHaveLength(1)
    // It stays text, and is listed as it was written.
    await world.json(['session', 'messages', id, '--edit', second, '--text', '/2nd'])
    const listedAs = await world.json<{ waiting: WaitingMessage[] }>(['session', 'messages', id])
    expect(listedAs.waiting.map(({ text }) => text)).toEqual(['/2nd'])
    await world.json(['session', 'messages', id, '--edit', second, '--text', 'demo: say 2nd'])
    await world.json(['session', 'interrupt', id])
    const last = await world.json<{ receipt: object }>(['send', id, 'demo: say third'])
    expect(last.receipt).toMatchObject({ level: 'seen' })
    await waitFor('the last words', () => historyOf(id).includes('\nthird'))
    const order = historyOf(id).match(/^(slow|second|2nd|never|third)$/gm)
    expect(order).toEqual(['2nd', 'third'])
    expect((await world.ao(['session', 'messages', id, '--withdraw', second])).code).toBe(5)
    // No turn of it failed: it is asked in words.
    expect(await world.json(['session', 'retry', id])).toMatchObject({ turn: null, receipt: { level: 'seen' } })
    expect(await listed(id)).toMatchObject({ status: 'working', cost: { estimatedCostUsd: 0 } })
  })

  it('kills and restores: the same agh session continues where it was', async () => {
    const id = await spawn('say before', 'finish done', 'on message:', 'say remembered')
    await waitFor('the turn', () => historyOf(id).includes('Finished.'))
    const before = beside.sessions()
    await world.ao(['session', 'kill', id])
    expect(await listed(id)).toMatchObject({ status: 'killed', activity: 'exited' })
    expect(beside.sessions()).toMatchObject([{ state: 'stopped', process: null }])
    expect((await world.ao(['session', 'restore', id])).code).toBe(0)
    expect(beside.sessions()).toMatchObject([{ id: before[0]!.id, state: 'active', started_with: 'resume' }])
    expect((await world.json<{ receipt: object }>(['send', id, 'hello again'])).receipt).toMatchObject({
      level: 'seen',
    })
    // The block of the first prompt was kept by the agent, and the prompt was not sent again.
    await waitFor('what it remembers', () => historyOf(id).includes('\nremembered'))
    expect(historyOf(id).match(/^before$/gm)).toHaveLength(1)
    expect((await history(id)).some((one) => one.type === 'session.restored' && one.how === 'resume')).toBe(true)
  })

  it('goes on when the agh daemon is killed in the middle of a turn: the next look brings a daemon back', async () => {
    const id = await spawn('think 16', 'say still here')
    await waitFor('the turn', async () => (await listed(id)).activity === 'active')
    await beside.kill()
    await waitFor('the daemon', async () => (await listed(id)).activity === 'active')
    await waitFor('the end of the turn', () => historyOf(id).includes('\nstill here'))
    const sent = await world.json<{ receipt: object }>(['send', id, 'demo: say back'])
    expect(sent.receipt).toMatchObject({ level: 'seen' })
    await waitFor('the answer', () => historyOf(id).includes('\nback'))
    expect(beside.sessions()).toMatchObject([{ state: 'active', failure: null }])
  })

  it('says so when the agh daemon is killed with the agent and its host, and restores', async () => {
    const id = await spawn('think 60', 'say never')
    await waitFor('the turn', async () => (await listed(id)).activity === 'active')
    await beside.kill()
    await beside.killHosts()
    await untilListed(id, 'killed')
    const refused = await world.ao(['send', id, 'anybody there?'])
    expect(refused.code).toBe(5)
    expect((await world.ao(['session', 'restore', id])).code).toBe(0)
    expect(beside.sessions()).toHaveLength(1)
    const sent = await world.json<{ receipt: object }>(['send', id, 'demo: say back'])
    expect(sent.receipt).toMatchObject({ level: 'seen' })
    await waitFor('the answer', () => historyOf(id).includes('\nback'))
    expect(historyOf(id)).toContain('daemon crashed while session active')
  })

  it('ends in its record as the agent ended', async () => {
    const done = await spawn('exit 0')
    const crashed = await spawn('exit 3')
    await untilListed(done, 'done')
    await untilListed(crashed, 'killed')
  })

  it('refuses an agent without a command for ACP before anything is made', async () => {
    const refused = await world.ao(['spawn', '--agent', 'aider', '--prompt', 'x'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('no command that speaks ACP')
    const missing = await world.ao(['spawn', '--agent', 'claude-code', '--prompt', 'x'], {
      env: { PATH: '/usr/bin:/bin' },
    })
    expect(missing.stderr).toContain('claude-agent-acp')
    expect((await world.json<{ sessions: object[] }>(['session', 'ls', '--all'])).sessions).toEqual([])
    expect(beside.sessions()).toEqual([])
  })
})
