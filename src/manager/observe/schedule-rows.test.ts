import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ProjectConfig } from '../../contract/config.ts'
import type { ProjectPaths } from '../../store/paths.ts'
import { listSchedules } from './schedule-rows.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ao-schedule-rows-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('lists the schedules of other projects when the file of one is damaged, and names it', () => {
  const schedules = { tidy: { when: '0 3 * * *', prompt: 'Tidy up' } }
  const projects = ['app', 'web', 'api'].map((id) => ({ id, schedules }) as unknown as ProjectConfig)
  for (const { id } of projects) mkdirSync(join(root, id))
  const damaged = join(root, 'web', 'schedules.json')
  writeFileSync(damaged, '{ "tidy": { "since"')
  const paths = { project: (id: string) => ({ dir: join(root, id) }) as ProjectPaths }
  const listed = listSchedules(projects, paths, new Date('2026-11-18T00:00:00Z'))
  expect(listed.schedules.map(({ project, name }) => `${project}/${name}`)).toEqual(['app/tidy', 'api/tidy'])
  expect(listed.problems).toEqual([{ projectId: 'web', message: expect.stringContaining(damaged) }])
})
