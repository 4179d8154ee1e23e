// Two tabs that act at the same moment, and files that cannot be read: nothing is done twice, and nothing lies.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpawnAnswer } from '../../src/contract/dashboard/answers.ts'
import type { Board } from '../../src/contract/dashboard/cards.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Answer, type ServedProject, serveProject } from './served-project.ts'

let world: ServedProject

beforeAll(async () => {
  world = await serveProject({ yaml: ['agent: demo', 'scm: local', 'tracker: local'] })
}, 60_000)
afterAll(async () => {
  for (const { id } of (await board()).sessions) await world.api('POST', `/api/sessions/${id}/kill`, { purge: true })
  expect(await world.close()).toEqual([])
}, 60_000)

const board = async () => (await world.api<Board>('GET', '/api/sessions')).body

function twice(path: string, body: unknown): Promise<Answer[]> {
  return Promise.all([world.api('POST', path, body), world.api('POST', path, body)])
}

/** One did it; the other did it too without harm, or says why not. */
function expectOneWord(answers: Answer[]): void {
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  for (const { status, body } of answers) {
    if (status === 200) continue
    expect(status).toBeLessThan(500)
    expect(body.error?.message).toMatch(/\w+ \w+/)
  }
}

function events(id: string): Array<{ type: string }> {
  const text = readFileSync(world.context.paths.project('app').historyFile(id), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const count = (id: string, type: string) => events(id).filter((one) => one.type === type).length

describe('two tabs that act at once', () => {
  it('kill a session once, bring it back once, and put it away once', async () => {
    const prompt = '```demo\nask Shall I?\n```'
    const { body } = await world.api<SpawnAnswer>('POST', '/api/sessions', { projectId: 'app', prompt })
    const id = body.spawned[0]!.sessionId
    expectOneWord(await twice(`/api/sessions/${id}/kill`, {}))
    expectOneWord(await twice(`/api/sessions/${id}/restore`, {}))
    expect(count(id, 'runtime.started')).toBe(2)
    expectOneWord(await twice(`/api/sessions/${id}/kill`, { purge: true }))
    expect((await board()).sessions.map((card) => card.id)).not.toContain(id)
    const late = await world.api('POST', `/api/sessions/${id}/kill`, {})
    expect([late.status, late.body.error?.message]).toEqual([404, expect.stringContaining('is archived')])
    expect(late.body.error?.hint).toContain('ao session restore')
  })

  it('merge once', async () => {
    const sha = world.commit('feat/merge', { 'merged.txt': 'x\n' })
    await openPull(await world.forge(), { title: 'Merge', body: '', head: 'feat/merge' })
    await waitFor('the pull request', async () => (await world.api('GET', '/api/projects/app/pulls/1')).status === 200)
    await world.api('POST', '/api/projects/app/pulls/1/review', { verdict: 'approve', body: '', sha, comments: [] })
    const before = Number(world.git('rev-list', '--count', '--first-parent', 'main'))
    const answers = await twice('/api/projects/app/pulls/1/merge', { sha })
    expectOneWord(answers)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(Number(world.git('rev-list', '--count', '--first-parent', 'main'))).toBe(before + 1)
    const refused = answers.find(({ status }) => status !== 200)!
    expect(refused.body.error?.message).toMatch(/merged|under way|moment/)
  })
})

describe('what cannot be read', () => {
  it('a damaged record is shown on the board, and so is its recovery', async () => {
    await world.session('app-70', { agent: 'demo', branch: 'feat/x' })
    const file = world.context.paths.project('app').sessionFile('app-70')
    const sound = readFileSync(file)
    writeFileSync(file, '\0\0\0\0')
    expect((await board()).notices).toMatchObject([
      { id: 'damaged app-70', level: 'error', text: expect.stringContaining('ao doctor') },
    ])
    writeFileSync(file, sound)
    expect((await board()).notices).toEqual([])
  })

  it('sessions that cannot be read at all are not taken for none', async () => {
    const { sessions } = world.context.paths.project('app')
    const before = (await board()).sessions.length
    expect(before).toBeGreaterThan(0)
    renameSync(sessions, `${sessions}.away`)
    writeFileSync(sessions, 'not a directory')
    try {
      const now = await board()
      expect(now.sessions).toHaveLength(before)
      expect(now.notices).toMatchObject([{ id: 'reading', level: 'error', text: expect.stringContaining('old') }])
    } finally {
      rmSync(sessions)
      renameSync(`${sessions}.away`, sessions)
    }
    const again = await board()
    expect([again.sessions.length, again.notices]).toEqual([before, []])
  })
})
