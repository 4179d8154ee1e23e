// The routes of the train: what is about to land, a person's pause, and who is at work in the files of a task.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ProofAnswer, TrainAnswer } from '../../src/contract/dashboard/train.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { type ServedProject, serveProject } from './served-project.ts'

let served: ServedProject
beforeAll(async () => {
  served = await serveProject({ yaml: ['scm: local', 'tracker: local', 'agent: demo', 'landing: { mode: train }'] })
})
afterAll(async () => {
  expect(await served.close()).toEqual([])
})

it('shows who is aboard; merging boards, and pause and resume are recorded with who said so', async () => {
  const { api } = served
  const commit = served.commit('feat/a', { 'a.txt': 'a' })
  await openPull(await served.forge(), { title: 'Work', body: '', head: 'feat/a' })
  const merged = await api('POST', '/api/projects/app/pulls/1/merge', { sha: commit })
  expect(merged.body).toMatchObject({ commit: null, boarded: true })
  expect((await api('GET', '/api/projects/app/pulls/1')).body).toMatchObject({ boards: true, mergeMethods: [] })
  const read = async () => (await api<TrainAnswer>('GET', '/api/train')).body.trains[0]!
  expect(await read()).toMatchObject({
    projectId: 'app',
    branch: 'main',
    paused: null,
    riders: [{ pull: 1, headSha: commit, by: 'sam', title: 'Work', state: 'waiting', place: null, suspect: null }],
    left: [],
    landed: [],
  })
  expect((await api('POST', '/api/projects/app/train/pause')).status).toBe(200)
  expect((await read()).paused).toMatchObject({ by: 'sam' })
  await api('POST', '/api/projects/app/train/resume')
  expect((await read()).paused).toBeNull()
  expect((await api('POST', '/api/projects/none/train/pause')).status).toBe(404)
})

it('says who is changing files that a task names', async () => {
  const { api, context } = served
  const { dir } = context.paths.project('app')
  mkdirSync(join(dir, 'radar'), { recursive: true })
  const path = '/api/projects/app/in-hands'
  const warnings = async (prompt: string) =>
    (await api<{ warnings: string[] }>('GET', `${path}?prompt=${encodeURIComponent(prompt)}`)).body.warnings
  expect(await warnings('change src/cart.ts')).toEqual([])
  const id = 'app-1'
  await served.session(id, {})
  writeFileSync(join(dir, 'radar', 'work.json'), JSON.stringify([{ id, labels: [], paths: ['src/cart.ts'] }]))
  expect(await warnings('change src/cart.ts')).toEqual([expect.stringContaining('app-1')])
  expect(await warnings('write a poem')).toEqual([])
})

it('checks the proof of a landed commit again, and says of one without a note that nothing is proven', async () => {
  const { api } = served
  const commit = served.commit('feat/proof', { 'proof.txt': 'p' })
  const path = '/api/projects/app/train/landed'
  const { status, body } = await api<ProofAnswer>('GET', `${path}/${commit}`)
  expect(status).toBe(200)
  expect(body.findings.length).toBeGreaterThan(0)
  expect(body.findings.some(({ proven }) => proven)).toBe(false)
  for (const wrong of ['main', 'HEAD', '--all', '..%2f..%2f', '0'.repeat(40)])
    expect((await api('GET', `${path}/${encodeURIComponent(wrong)}`)).status, wrong).toBe(400)
  expect((await api('GET', `/api/projects/none/train/landed/${commit}`)).status).toBe(404)
})
