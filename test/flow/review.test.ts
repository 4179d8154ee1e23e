// A second pair of eyes: another agent reads exactly one commit, and what it found goes to the author as one message.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { CommitReview } from '../../src/contract/pull.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process, agent: demo }
projects:
  app:
    path: .
    agentConfig: { permissions: skip }
    scm: local
    gates: [{ name: reviewed, reviewed: major }]
    reactions: { review: { auto: true, retries: 3 } }
`

const WORK = `\`\`\`demo
write half.js export const half = (a, b) => a / b
commit Add half
pr Add half
finish done

on changes-requested:
write half.js <<END
export const half = (a, b) => {
  if (b === 0) throw new RangeError('no')
  return a / b
}
END
commit Refuse zero
finish done
\`\`\``

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  await world.agree()
  expect((await world.ao(['spawn', '--prompt', WORK])).code).toBe(0)
  await waitFor('a pull request', async () => (await pulls()).length === 1 || Promise.reject(new Error('none')))
})

afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

interface Listed {
  id: string
  status: string
  role: string
}
const sessions = async () => (await world.json<{ sessions: Listed[] }>(['session', 'ls', '--all'])).sessions
const reviewers = async () => (await sessions()).filter(({ role }) => role === 'reviewer')
const reviews = async () => (await world.json<{ reviews: CommitReview[] }>(['review', 'ls', 'app-1'])).reviews
const pulls = async () =>
  (await world.json<{ pullRequests: Array<{ number: number; ci: string; headSha: string }> }>(['pr', 'ls']))
    .pullRequests

it('finds something, the author repairs it, and the next round opens the gate', async () => {
  expect((await world.ao(['start'])).code).toBe(0)
  const isOpen = async () => (await pulls())[0]?.ci === 'passing' || Promise.reject(new Error('ci'))
  await waitFor('the gate is open', isOpen, 60_000)
  const [second, first] = await reviews()
  expect(first).toMatchObject({ round: 1, failed: null, findings: [{ file: 'half.js', line: 1, severity: 'major' }] })
  expect(second).toMatchObject({ round: 2, findings: [], head: (await pulls())[0]?.headSha })
  expect((await world.ao(['pr', 'view', '1'])).stdout).toContain('of an earlier head (round 1')
  const { events } = await world.json<{ events: Array<{ type: string; source?: string }> }>(['events', 'app-1'])
  const sent = events.filter(({ type, source }) => type === 'message.queued' && source === 'review-findings')
  expect(sent).toHaveLength(1)
  await waitFor(
    'no reviewer is left',
    async () => (await reviewers()).length === 0 || Promise.reject(new Error('left')),
  )
  expect(readdirSync(join(world.temp.home, '.ao', 'reviews', 'app'))).toEqual([])

  // What is left of the change is another one, which nobody has read.
  const absorbed = git(world.repo, world.temp.env, 'rev-parse', `${second!.head}^`).trim()
  git(world.repo, world.temp.env, 'merge', '--quiet', '--ff-only', absorbed)
  const [rest] = await pulls()
  // Asked afterwards: on a busy machine its review may be there as soon as the list is.
  if ((await reviews()).length < 3) expect(rest?.ci).toBe('pending')
  await waitFor('a review of the rest', async () => (await reviews()).length === 3 || Promise.reject(new Error('none')))
  await waitFor('the gate is open again', isOpen, 60_000)
  expect((await reviews())[0]).toMatchObject({ round: 3, head: second!.head, from: absorbed })
})

it('starts one reviewer, whatever step its start is killed at', async () => {
  for (const point of ['spawn.reserved', 'review-checkout.filled', 'spawn.workspace-created', 'review.started']) {
    expect((await world.ao(['review', 'start', 'app-1'], { env: { AO_FAILPOINT: point } })).code).not.toBe(0)
  }
  const { reviewer } = await world.json<{ reviewer: string }>(['review', 'start', 'app-1'])
  expect((await reviewers()).map(({ id }) => id)).toEqual([reviewer])
  await waitFor('it is over', async () => (await reviews())[0]?.endedAt ?? Promise.reject(new Error('open')))
  expect(await reviews()).toHaveLength(1)
})

it('reads in a directory from which nothing gets anywhere', async () => {
  const { reviewer } = await world.json<{ reviewer: string }>(['review', 'start', 'app-1'])
  const path = join(world.temp.home, '.ao', 'reviews', 'app', reviewer)
  const [pull] = await pulls()
  const { env } = world.temp
  expect(git(path, env, 'rev-parse', 'HEAD').trim()).toBe(pull?.headSha)
  expect(git(path, env, 'remote').trim()).toBe('')
  expect(statSync(join(path, 'half.js')).mode & 0o222).toBe(0)
  const before = git(world.repo, env, 'for-each-ref')
  writeFileSync(join(path, 'evil.js'), 'x')
  git(path, env, 'add', '--all')
  git(path, env, '-c', 'user.name=x', '-c', 'user.email=x@example.invalid', 'commit', '--quiet', '-m', 'evil')
  git(path, env, 'update-ref', 'refs/heads/main', 'HEAD')
  expect(git(world.repo, env, 'for-each-ref')).toBe(before)
  const inside = { ...env, AO_SESSION: reviewer, AO_CALLER_TYPE: 'reviewer', AO_PROJECT_ID: 'app' }
  for (const args of [
    ['pr', 'review', '1', '--approve'],
    ['pr', 'merge', '1'],
    ['gh', 'pr', 'merge', '1'],
  ])
    expect((await world.ao(args, { env: inside })).code).not.toBe(0)
  expect((await world.ao(['review', 'add', 'later', '--file', 'evil.js'], { env: inside })).code).not.toBe(0)
  // An orchestrator may start others, and call itself one of them.
  const done = await world.ao(['review', 'done'], { env: { ...inside, AO_SPAWN_ID: 'of-another-launch' } })
  expect(done.stderr).toContain('Only the agent of a reviewer')
  expect((await world.ao(['session', 'kill', reviewer, '--purge'])).code).toBe(0)
  expect(existsSync(path)).toBe(false)
})
