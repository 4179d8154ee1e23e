import { afterEach, describe, expect, it } from 'vitest'
import { getSession, listSessions, spawnChild, stopSession } from '../../src/agh/runtime.ts'
import { createTask, enqueueRun, takeUpRuns } from '../../src/agh/tasks/run-task.ts'
import { readTask, removeTask, updateRun, writeTask } from '../../src/agh/tasks/task-file.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome, text } from './agh-home.ts'

let agh: AghHome
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

const task = (prompt: string) => createTask(agh.context, { title: 'Tidy up', prompt, workspace_path: agh.workspace })
const lastRun = (id: string) => readTask(agh.context.paths, id).runs.at(-1)!
const ended = (id: string) => waitFor('the end of the run', () => lastRun(id).ended_at !== null)

describe('coordinated work', () => {
  it('S4.115 S4.117 starts a coordinator, a root, once a run is enqueued, and not before', async () => {
    agh = createAghHome()
    const { id } = task('say tidy')
    expect((await listSessions(agh.context)).sessions).toEqual([])
    expect(enqueueRun(agh.context, id).runs).toMatchObject([{ state: 'queued', session_id: null }])
    await ended(id)
    const run = lastRun(id)
    expect(run).toMatchObject({ state: 'completed', detail: null })
    const session = await getSession(agh.context, run.session_id!)
    expect(session).toMatchObject({
      type: 'coordinator',
      workspace_path: agh.workspace,
      lineage: {
        parent_session_id: null,
        root_session_id: session.id,
        spawn_depth: 0,
        ttl_expires_at: expect.any(String),
      },
    })
    const events = await agh.events(session.id)
    expect(text(events)).toBe('tidy')
    expect(events.find(({ type }) => type === 'user_message')).toMatchObject({
      turn_id: run.turn_id,
      content: { source: 'task', text: expect.stringContaining('Tidy up') },
    })
    const child = await spawnChild(agh.context, session.id, { ttl_seconds: 60 })
    expect(child.lineage).toMatchObject({ root_session_id: session.id, spawn_depth: 1 })
  })

  it('S4.115 has one coordinator per workspace, which takes one run after the other', async () => {
    agh = createAghHome()
    const tasks = ['say one', 'say two', 'fail -32603'].map(task)
    for (const { id } of tasks) enqueueRun(agh.context, id)
    expect(() => enqueueRun(agh.context, tasks[0]!.id)).toThrow('is queued')
    expect(() => removeTask(agh.context.paths, tasks[0]!.id)).toThrow('is queued')
    for (const { id } of tasks) await ended(id)
    expect(tasks.map(({ id }) => lastRun(id).state)).toEqual(['completed', 'completed', 'failed'])
    expect(new Set(tasks.map(({ id }) => lastRun(id).session_id)).size).toBe(1)
    expect((await listSessions(agh.context)).sessions).toHaveLength(1)
    removeTask(agh.context.paths, tasks[0]!.id)
    expect(() => readTask(agh.context.paths, tasks[0]!.id)).toThrow('There is no task')
  })

  it('ends with its time, and the next run gets a new one', async () => {
    agh = createAghHome({ config: { autonomy: { coordinator: { default_ttl: '1s' } } } })
    const { id } = task('say hi')
    enqueueRun(agh.context, id)
    await ended(id)
    const first = lastRun(id).session_id!
    await waitFor('its end', async () => (await getSession(agh.context, first)).state === 'stopped')
    expect(await getSession(agh.context, first)).toMatchObject({ stop_reason: 'timeout' })
    enqueueRun(agh.context, id)
    await ended(id)
    expect(lastRun(id).session_id).not.toBe(first)
  })

  it('that was queued when the daemon ended is taken up by the next one; what ran has failed', async () => {
    agh = createAghHome()
    const [queued, running] = [task('say later'), task('sleep 60000')]
    const run = {
      id: 'run-1',
      state: 'queued',
      session_id: null,
      turn_id: null,
      detail: null,
      enqueued_at: queued!.created_at,
      started_at: null,
      ended_at: null,
    } as const
    for (const one of [queued!, running!]) writeTask(agh.context.paths, { ...one, runs: [run] })
    updateRun(agh.context.paths, running!.id, 'run-1', { state: 'running' })
    takeUpRuns(agh.restart())
    await ended(queued!.id)
    expect(lastRun(queued!.id).state).toBe('completed')
    expect(lastRun(running!.id)).toMatchObject({ state: 'failed', detail: 'the daemon ended while it ran' })
  })

  it('fails with its coordinator, and says why', async () => {
    agh = createAghHome()
    const { id } = task('sleep 60000')
    enqueueRun(agh.context, id)
    await waitFor('the run', () => lastRun(id).state === 'running')
    await stopSession(agh.context, lastRun(id).session_id!, null)
    await ended(id)
    expect(lastRun(id)).toMatchObject({ state: 'failed', detail: 'its turn was cancelled' })
  })

  it('needs a workspace, an agent that starts, and coordinators that are wanted', async () => {
    agh = createAghHome({ command: ['no-such-program'] })
    const nowhere = createTask(agh.context, { title: 'A thought' })
    expect(() => enqueueRun(agh.context, nowhere.id)).toThrow('belongs to no workspace')
    const { id } = task('say hi')
    enqueueRun(agh.context, id)
    await ended(id)
    expect(lastRun(id)).toMatchObject({ state: 'failed', detail: expect.stringContaining('no-such-program') })
    expect(() => readTask(agh.context.paths, '../task')).toThrow('There is no task')
    await agh.cleanup()
    agh = createAghHome({ config: { autonomy: { coordinator: { enabled: false } } } })
    expect(() => enqueueRun(agh.context, task('say hi').id)).toThrow('turned off')
  })
})
