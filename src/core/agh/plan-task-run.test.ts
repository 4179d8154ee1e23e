import { describe, expect, it } from 'vitest'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { Task, TaskRun } from '../../contract/agh/task.ts'
import { planCoordinator, requireRunnable, taskPrompt } from './plan-task-run.ts'

const TASK: Task = {
  schema: 'agh.task.v1',
  id: 'task-1',
  title: 'Tidy up',
  prompt: 'Remove what nobody uses.',
  workspace_id: null,
  workspace_path: '/repo',
  created_at: '',
  runs: [],
}
const run = (state: TaskRun['state']) => ({ id: 'run-1', state }) as TaskRun

describe('running a task', () => {
  it.each<[string, Partial<Task>, boolean, string | null]>([
    ['in a workspace', {}, true, null],
    ['again, after its last run ended', { runs: [run('completed'), run('failed')] }, true, null],
    ['without a workspace', { workspace_path: null }, true, 'no workspace'],
    ['while one is queued', { runs: [run('queued')] }, true, 'run-1 is queued'],
    ['while one runs', { runs: [run('running')] }, true, 'run-1 is running'],
    ['when coordinators are off', {}, false, 'turned off'],
  ])('%s', (_name, changes, enabled, refused) => {
    const act = () => requireRunnable({ ...TASK, ...changes }, enabled)
    if (refused === null) expect(act).not.toThrow()
    else expect(act).toThrow(refused)
  })

  it.each<[string, string | null | undefined, string]>([
    ['none lives', undefined, 'start'],
    ['one has time', '2026-01-01T02:00:00Z', 'use'],
    ['one has half of its time left', '2026-01-01T01:00:00Z', 'use'],
    ['one has less', '2026-01-01T00:59:59Z', 'replace'],
    ['one has no end', null, 'use'],
  ])('S4.115 when %s', (_name, ttl_expires_at, expected) => {
    const present = ttl_expires_at === undefined ? null : ({ lineage: { ttl_expires_at } } as SessionMeta)
    expect(planCoordinator({ present, ttlMs: 7_200_000, now: Date.parse('2026-01-01T00:00:00Z') })).toBe(expected)
  })

  it('gives the coordinator the task, and how to share it out', () => {
    expect(taskPrompt(TASK, 'run-1')).toMatch(
      /Tidy up \(task-1, run run-1\)[\s\S]*Remove what nobody uses[\s\S]*agh spawn/,
    )
    expect(taskPrompt({ ...TASK, prompt: 'Tidy up' }, 'run-1').match(/Tidy up/g)).toHaveLength(1)
  })
})
