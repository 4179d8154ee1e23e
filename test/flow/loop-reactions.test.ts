// Reactions from end to end on the local forge: real CI commands, real git, the demo agent, and a loop that may die.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../src/contract/events.ts'
import { identify } from '../../src/lib/process/process-identity.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `readyThresholdMs: 2000
lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [] }
reactions:
  approved-and-green: { auto: true }
  agent-stuck: { action: send-to-agent, message: 'You have been silent: go on.' }
projects:
  app:
    path: .
    agent: demo
    agentConfig: { permissions: skip }
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: 'cat answer && grep -q 42 answer' }] } }
`

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  writeFileSync(join(world.repo, 'answer'), '42\n')
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'base')
  await world.agree()
})

afterEach(async () => {
  await world.ao(['stop'])
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

const messages = async (id: string, source: string) =>
  (await history(id)).flatMap((one) => (one.type === 'message.queued' && one.source === source ? [one.text] : []))

const untilStatus = (id: string, status: string) =>
  waitFor(
    `${id} is ${status}`,
    async () => {
      const seen = await statuses(id)
      return seen.includes(status) || Promise.reject(new Error(seen.join(' ')))
    },
    45_000,
  )

interface Comment {
  id: string
  body: string
}

describe('from a pull request to its merge', () => {
  it('S0.18 S0.20 S0.21 S0.28 S0.29 CI fails, the agent is sent the log and repairs it, approval merges it', async () => {
    await world.ao(['start'])
    const id = await spawn(
      ...['write answer 41', 'commit a guess', 'pr The answer', 'finish done'],
      ...['on ci-failed:', 'write answer 42', 'append notes checked', 'commit the answer', 'push', 'finish repaired'],
    )
    await untilStatus(id, 'ci_failed')
    await untilStatus(id, 'review_pending')
    const told = await messages(id, 'ci-failed')
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/### test[\s\S]+41/)
    expect((await world.ao(['pr', 'review', '1', '--approve'])).code).toBe(0)
    await untilStatus(id, 'merged')
    expect(readFileSync(join(world.repo, 'notes'), 'utf8')).toContain('checked')
    const { stdout } = await world.ao(['why', id])
    expect(stdout).toMatch(/is merged[\s\S]+auto-merge/)
  })

  it('S0.22 S0.23 S0.24 a reviewer requests changes, the agent learns what and where, pushes, and answers in the thread', async () => {
    await world.ao(['start'])
    const id = await spawn('append notes one', 'commit notes', 'pr Notes', 'finish done')
    await untilStatus(id, 'review_pending')
    const review = await world.ao([
      ...['pr', 'review', '1', '--request-changes', '--body', 'Please write two notes'],
      ...['--line', 'notes:1:Why one?'],
    ])
    expect(review.code, review.stderr).toBe(0)
    await untilStatus(id, 'changes_requested')
    await waitFor(
      'the second push',
      async () => (await statuses(id)).filter((one) => one === 'review_pending').length > 1,
    )
    const told = await messages(id, 'changes-requested')
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('Please write two notes')
    expect(told[0]).toContain('notes:1')

    const thread = async () =>
      (JSON.parse((await world.ao(['pr', 'view', '1', '--json'])).stdout) as { pullRequest: { comments: Comment[] } })
        .pullRequest.comments
    const lines = await waitFor('the answer of the agent', async () => {
      const comments = await thread()
      return comments.length > 1 && comments
    })
    const [first] = lines
    expect(lines).toMatchObject([{ body: 'Why one?' }, { author: id, isBot: true, inReplyTo: first!.id }])
    // A person's reply is news, the agent's own is not.
    expect((await world.ao(['pr', 'reply', '1', first!.id, '--body', 'And why not two?'])).code).toBe(0)
    await waitFor('the next answer', async () => (await thread()).length === 4)
    const [, second, ...more] = await messages(id, 'changes-requested')
    expect(more).toEqual([])
    for (const wording of ['replied in a thread', 'Why one?', 'You wrote:', 'And why not two?'])
      expect(second).toContain(wording)
  })

  it('S0.38 S0.40 an agent that goes silent is nudged when its time is over, once, and continues', async () => {
    // No poll comes in time: silence is noticed by itself.
    const config = join(world.repo, 'agent-orchestrator.yaml')
    writeFileSync(config, CONFIG.replace('pollSeconds: 1', 'pollSeconds: 600'))
    await world.ao(['start'])
    const id = await spawn('stuck', 'append notes awake', 'commit awake', 'pr Awake', 'finish done')
    await untilStatus(id, 'stuck')
    await untilStatus(id, 'pr_open')
    expect(await messages(id, 'agent-stuck')).toEqual(['You have been silent: go on.'])
  })

  it('sends a message once though the loop was killed right after it', async () => {
    const { pid } = await world.json<{ pid: number }>(['start'], { env: { AO_FAILPOINT: 'loop.acted' } })
    // It receives and does nothing: the same text a second time could only be the first message again.
    const id = await spawn(
      ...['write answer 41', 'commit a guess', 'pr The answer', 'finish done', 'on ci-failed:', 'finish heard'],
    )
    await waitFor('the message', async () => (await messages(id, 'ci-failed')).length > 0, 45_000)
    await waitFor('the death of the loop', () => !isAlive(pid))
    await world.ao(['start'])
    await waitFor('the note', async () =>
      (await history(id)).some((one) => one.type === 'reaction' && one.key === 'ci-failed'),
    )
    // Two more polls would be two more chances to say it again.
    await waitFor('later polls', async () => polls() > 3)
    // A slow machine may find the agent stuck and nudge it; what it then pushes is another failure, reported in other
    // words.
    const [first, ...more] = await messages(id, 'ci-failed')
    expect(more).not.toContain(first)
  })
})

function isAlive(pid: number): boolean {
  return identify(pid) !== null
}

function polls(): number {
  const base = join(world.temp.home, '.agent-orchestrator')
  const run = join(world.temp.home, '.ao', 'run')
  const state = readdirSync(run).find((name) => name.endsWith('.json'))!
  const { pid } = JSON.parse(readFileSync(join(run, state), 'utf8')) as { pid: number }
  const directory = readdirSync(base).find((name) => name.endsWith('-observability'))!
  const snapshot = JSON.parse(readFileSync(join(base, directory, 'processes', `lifecycle-${pid}.json`), 'utf8')) as {
    metrics: Record<string, { total: number }>
  }
  return snapshot.metrics['app::lifecycle_poll']?.total ?? 0
}
