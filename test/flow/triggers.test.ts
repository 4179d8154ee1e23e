// Work that something starts: a label, and a command in a comment, each at most once.
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process, agent: demo }
projects:
  app:
    path: .
    agentConfig: { permissions: skip }
    tracker: local
    scm: local
    triggers:
      fix: { label: fix, prompt: 'demo: ask Continue?' }
      go: { comment: /ao go, by: [Chief], prompt: 'demo: finish done' }
`

let world: AoWorld

beforeAll(() => buildAo(), 60_000)
beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  await world.agree()
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const sessions = async () =>
  (await world.json<{ sessions: Array<{ id: string; issueId: string | null }> }>(['session', 'ls', '--all'])).sessions
const issues = async () => (await sessions()).map(({ issueId }) => issueId).sort()
const comment = (issue: string, body: string, author: string) =>
  world.ao(['issue', 'comment', issue, '--body', body], { env: { USER: author } })
const until = (what: string, wanted: string[]) =>
  waitFor(
    what,
    async () => {
      const now = await issues()
      return JSON.stringify(now) === JSON.stringify(wanted) || Promise.reject(new Error(now.join()))
    },
    30_000,
  )

it("starts what it may, one at a time, and nothing twice or at a stranger's word", async () => {
  // Killed between the word that it starts and the start.
  expect((await world.ao(['start'], { env: { AO_FAILPOINT: 'trigger.announced' } })).code).toBe(0)
  for (const args of [['one', '--label', 'fix'], ['two', '--label', 'fix'], ['three']])
    expect((await world.ao(['issue', 'new', ...args])).code).toBe(0)
  await waitFor(
    'the loop is killed',
    async () => {
      const { schedules } = await world.json<{ schedules: Array<{ name: string; last: { state: string } | null }> }>([
        'schedule',
        'ls',
      ])
      return schedules[0]?.last?.state === 'starting' || Promise.reject(new Error('not yet'))
    },
    30_000,
  )
  await world.ao(['stop'])
  expect((await world.ao(['start'])).code).toBe(0)
  await until('the first', ['1'])
  await comment('3', '/ao go please', 'Mallory')
  const inside = { AO_SESSION: 'app-1', AO_CALLER_TYPE: 'agent', USER: 'Chief' }
  await world.ao(['issue', 'comment', '3', '--body', '/ao go'], { env: inside })
  for (const call of [
    ['issue', 'create', '-t', 'four', '-b', '', '-l', 'FIX'],
    ['issue', 'edit', '3', '--add-label', 'fix'],
    ['api', 'repos/{owner}/{repo}/issues/3/labels', '-f', 'labels[]=fix'],
    ['api', 'repos/{owner}/{repo}/issues', '-f', 'title=four', '-f', 'labels[]=Fix'],
  ])
    expect((await world.ao(['gh', ...call], { env: inside })).stderr, call.join(' ')).toContain('starts a session')
  await comment('3', 'I would say\n/ao go', 'Chief')
  await comment('3', '/ao go', 'Chief')
  await until('the command', ['1', '3'])
  expect((await world.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  await until('the second label, once the first has ended', ['1', '2', '3'])
  expect((await world.ao(['schedule', 'ls'])).stdout).toContain('the label fix')
  expect((await world.ao(['schedule', 'pause', 'fix'])).code).toBe(0)
  expect((await world.ao(['schedule', 'ls'])).stdout).toContain('paused')
})
