// Every route of sessions with real sessions: the demo agent in real tmux and real worktrees, over real HTTP.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DiffAnswer, SendAnswer, SessionDetail, SpawnAnswer } from '../../src/contract/dashboard/answers.ts'
import type { Board, SessionCard } from '../../src/contract/dashboard/cards.ts'
import type { ObservabilityAnswer } from '../../src/contract/dashboard/pages.ts'
import { createObserver } from '../../src/store/observability/observability.ts'
import { git } from '../support/git-repo.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ServedProject, serveProject } from './served-project.ts'

let world: ServedProject

beforeAll(async () => {
  world = await serveProject({
    yaml: ['agent: demo', 'scm: local', 'tracker: local'],
    files: { 'README.md': '# sample\n', '.gitignore': 'build/\n' },
  })
}, 60_000)
afterAll(async () => {
  const { sessions } = (await world.api<Board>('GET', '/api/sessions')).body
  for (const { id } of sessions) await world.api('POST', `/api/sessions/${id}/kill`, { purge: true })
  expect(await world.close()).toEqual([])
}, 60_000)

const script = (...steps: string[]) => ['```demo', ...steps, '```'].join('\n')

async function spawn(...steps: string[]): Promise<string> {
  const { status, body } = await world.api<SpawnAnswer>('POST', '/api/sessions', {
    projectId: 'app',
    prompt: script(...steps),
  })
  expect({ status, failed: body.failed }).toEqual({ status: 200, failed: [] })
  return body.spawned[0]!.sessionId
}

const detail = async (id: string) => (await world.api<SessionDetail>('GET', `/api/sessions/${id}`)).body

function becomes(id: string, what: string, condition: (card: SessionCard) => boolean): Promise<SessionCard> {
  return waitFor(
    `${id} to be ${what}`,
    async () => {
      const { sessions } = (await world.api<Board>('GET', '/api/sessions')).body
      const card = sessions.find((one) => one.id === id)
      return card && condition(card) && card
    },
    40_000,
  )
}

describe('what was done to sessions', () => {
  it('S1.58 S1.60 is in the summary of all processes', async () => {
    const { paths, clock, log } = world.context
    const observer = createObserver({ component: 'cli', paths, clock, log })
    observer.record('kill', { projectId: 'app', sessionId: 'app-99', outcome: 'success' })
    observer.flush()
    const { body } = await world.api<ObservabilityAnswer>('GET', '/api/observability')
    expect(body.sessions['app-99']).toMatchObject({ projectId: 'app', lastOperation: 'kill', outcome: 'success' })
  })
})

describe('a session', () => {
  it('is started, asks, is answered with a receipt, shows its work, ends and comes back', async () => {
    const id = await spawn('write notes.md <<E', 'a line', 'E', 'ask <b>Which</b> colour?', 'on message:', 'say Thanks')
    const asking = await becomes(id, 'waiting', ({ column }) => column === 'needs_you')
    expect(asking).toMatchObject({ status: 'needs_input', agent: 'demo', can: { send: true, view: 'terminal' } })
    // What an agent says stays text: it travels as JSON, unchanged.
    expect(asking.lastMessage).toContain('<b>Which</b> colour?')

    const { body: diff } = await world.api<DiffAnswer>('GET', `/api/sessions/${id}/diff`)
    expect(diff.diff).toContain('+++ b/notes.md\n')
    expect(diff.diff).toContain('+a line')
    expect(diff.truncated).toBe(false)
    const { workspacePath } = await detail(id)
    expect(git(workspacePath!, world.temp.env, 'status', '--porcelain')).toBe('?? notes.md')

    const { body: sent } = await world.api<SendAnswer>('POST', `/api/sessions/${id}/send`, { message: 'blue' })
    expect(sent.receipt).toMatchObject({ level: 'seen' })
    // It works, or has finished already: then it needs somebody, but asks nothing.
    await becomes(id, 'answered', ({ need, lastMessage }) => need?.kind !== 'question' && lastMessage !== null)

    const { body: killed } = await world.api('POST', `/api/sessions/${id}/kill`, {})
    expect(killed).toEqual({ ok: true })
    const ended = await becomes(id, 'ended', ({ status }) => status === 'killed')
    expect(ended).toMatchObject({ column: 'done', can: { send: false, kill: false, remove: true, restore: true } })
    expect(existsSync(workspacePath!)).toBe(true)

    expect((await world.api('POST', `/api/sessions/${id}/restore`, {})).body).toEqual({ sessionId: id })
    await becomes(id, 'running', ({ can }) => can.send)
  }, 120_000)

  it('is archived by a purge, still shows its history, and comes back with its work', async () => {
    const id = await spawn('write kept.md <<E', 'kept', 'E', 'ask Go on?')
    await becomes(id, 'waiting', ({ column }) => column === 'needs_you')
    const { workspacePath } = await detail(id)
    await world.api('POST', `/api/sessions/${id}/kill`, { purge: true })
    await waitFor('it to leave the board', async () => {
      const { sessions } = (await world.api<Board>('GET', '/api/sessions')).body
      return sessions.every((card) => card.id !== id)
    })
    expect(existsSync(workspacePath!)).toBe(false)
    const archived = await detail(id)
    expect(archived.archivedAt).not.toBeNull()
    expect(archived.card.can).toMatchObject({ send: false, restore: true, view: null })
    expect(archived.history.at(-1)?.words).toBe('archived')
    expect(archived.why.facts[0]).toMatch(/^it was archived \d+s ago$/)
    expect((await world.api('POST', `/api/sessions/${id}/restore`, {})).status).toBe(200)
    await becomes(id, 'running', ({ can }) => can.send)
    expect(existsSync(join(workspacePath!, 'kept.md'))).toBe(true)
  }, 120_000)

  it('is merged at exactly the head that was seen', async () => {
    const id = await spawn('write done.md <<E', 'done', 'E', 'commit Done', 'push', 'pr Done')
    const { pr } = await becomes(id, 'in review', ({ pr }) => pr !== null)
    const { workspacePath } = await detail(id)
    const head = git(workspacePath!, world.temp.env, 'rev-parse', 'HEAD')
    const stale = await world.api('POST', `/api/sessions/${id}/merge`, { sha: 'a'.repeat(40) })
    expect(stale.status).toBe(409)
    const merged = await world.api<{ commit: string }>('POST', `/api/sessions/${id}/merge`, { sha: head })
    expect({ status: merged.status, error: merged.body.error }).toEqual({ status: 200, error: undefined })
    expect(world.git('show', 'main:done.md')).toBe('done')
    const card = await becomes(id, 'merged', ({ status }) => status === 'merged')
    expect(card).toMatchObject({ column: 'done', pr: { url: pr!.url, state: 'merged' } })
    expect(world.requests).toContain('app')
  }, 120_000)

  it('gets a ticket for its terminal', async () => {
    const id = await spawn('ask Ready?')
    const { body } = await world.api<{ ticket: string }>('POST', `/api/sessions/${id}/ticket`, { mode: 'read' })
    expect(body.ticket.length).toBeGreaterThan(20)
    expect((await world.api('POST', `/api/sessions/${id}/ticket`, { mode: 'admin' })).status).toBe(400)
  }, 60_000)
})

describe('many at once', () => {
  it('start one for each issue', async () => {
    const ids: string[] = []
    for (const title of ['First', 'Second']) {
      const given = { title, description: script('ask So?') }
      const made = await world.api<{ issue: { id: string } }>('POST', '/api/projects/app/issues', given)
      expect(made.status).toBe(201)
      // Pull requests are counted in the same sequence.
      ids.push(made.body.issue.id)
    }
    const [one, two] = ids as [string, string]
    const { body } = await world.api<SpawnAnswer>('POST', '/api/sessions', {
      projectId: 'app',
      issueIds: [one, two, two],
    })
    expect(body.spawned.map(({ issueId }) => issueId).sort()).toEqual([one, two].sort())
    expect(body.failed).toEqual([])
    const first = body.spawned.find(({ issueId }) => issueId === one)!
    const card = await becomes(first.sessionId, 'known by its issue', ({ title }) => title === 'First')
    expect(card.issue).toMatchObject({ id: one, title: 'First' })
  }, 120_000)
})

describe('a wrong request', () => {
  it.each([
    [{}, 'projectId is missing or is not of type string'],
    [{ projectId: 7 }, 'projectId is missing or is not of type string'],
    [{ projectId: 'app', promt: 'x' }, 'the body has unknown keys: promt'],
    [{ projectId: 'app', issueIds: ['1', 2] }, 'issueIds.1 is missing or is not of type string'],
  ])('%j is answered with the key that is wrong', async (body, expected) => {
    const { status, body: answer } = await world.api<{ error: { message: string } }>('POST', '/api/sessions', body)
    expect([status, answer.error.message]).toEqual([400, expect.stringContaining(expected)])
  })

  it.each<[string, string, unknown, number, string]>([
    ['GET', '/api/sessions/none-1', undefined, 404, 'SESSION_NOT_FOUND'],
    ['GET', '/api/sessions/..%2f..%2fetc', undefined, 404, 'SESSION_NOT_FOUND'],
    ['GET', '/api/sessions/none-1/diff', undefined, 404, 'SESSION_NOT_FOUND'],
    ['POST', '/api/sessions/none-1/send', { message: 'x' }, 404, 'SESSION_NOT_FOUND'],
    ['POST', '/api/sessions/none-1/kill', {}, 404, 'SESSION_NOT_FOUND'],
    ['POST', '/api/sessions/none-1/restore', {}, 404, 'SESSION_NOT_FOUND'],
    ['POST', '/api/sessions/none-1/merge', { sha: 'abcdef1' }, 404, 'SESSION_NOT_FOUND'],
    ['POST', '/api/sessions/none-1/ticket', { mode: 'read' }, 404, 'SESSION_NOT_FOUND'],
    ['POST', '/api/sessions/none-1/permission', { requestId: 'r' }, 404, 'SESSION_NOT_FOUND'],
    ['GET', '/api/sessions/none-1/ticket', undefined, 404, 'SESSION_NOT_FOUND'],
    ['POST', '/api/projects/none/orchestrator', {}, 404, 'PROJECT_NOT_FOUND'],
    ['POST', '/api/sessions', { projectId: 'app' }, 400, 'USAGE'],
    ['POST', '/api/sessions', { projectId: 'app', issueIds: ['1', '2'], branch: 'b' }, 400, 'USAGE'],
    ['POST', '/api/sessions', { projectId: 'app', prompt: 'x', more: 1 }, 400, 'USAGE'],
    ['POST', '/api/sessions/none-1/send', { message: '' }, 400, 'USAGE'],
    ['POST', '/api/sessions/none-1/merge', { sha: 'HEAD' }, 400, 'USAGE'],
    ['POST', '/api/sessions/none-1/kill', { purge: 'yes' }, 400, 'USAGE'],
  ])('%s %s %j is refused in words', async (method, path, body, status, code) => {
    const answer = await world.api(method, path, body)
    expect([answer.status, answer.body.error?.code]).toEqual([status, code])
    expect(answer.body.error?.message).toBeTruthy()
  })

  it('to a missing project starts nothing', async () => {
    const { body } = await world.api<SpawnAnswer>('POST', '/api/sessions', { projectId: 'nothing', prompt: 'x' })
    expect(body.spawned).toEqual([])
    expect(body.failed[0]?.message).toContain('There is no project nothing')
  })
})

it('cuts a diff that no browser can show', async () => {
  const id = await spawn('ask Ready?')
  await becomes(id, 'there', ({ can }) => can.send)
  const { workspacePath } = await detail(id)
  writeFileSync(join(workspacePath!, 'small.txt'), 'small\n')
  writeFileSync(join(workspacePath!, 'zlarge.txt'), `${'a long line of text\n'.repeat(200_000)}`)
  const { body } = await world.api<DiffAnswer>('GET', `/api/sessions/${id}/diff`)
  expect(body.truncated).toBe(true)
  expect(body.diff).toContain('+small')
  expect(body.diff.length).toBeLessThan(2_200_000)
}, 60_000)
