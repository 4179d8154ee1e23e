// Commands for tasks and their runs.
import { resolve } from 'node:path'
import type { Task } from '../../contract/agh/task.ts'
import { rights } from '../../core/boundary/rights.ts'
import { sleep } from '../../lib/clock.ts'
import type { Column } from '../print/table.ts'
import { aghCommand, readWorkspace } from './agh-command.ts'
import { taskLines } from './lines.ts'

const TASK_ARGUMENT = { about: 'Task id', required: true } as const

export const taskCreateCommand = aghCommand({
  name: 'task create',
  about: 'Write a task down; nothing is started for it',
  args: { title: { about: 'Short description, one line', required: true, variadic: true } },
  options: {
    prompt: { value: 'text', about: 'Full instructions' },
    workspace: { short: 'w', value: 'name', about: 'A registered workspace', completes: 'workspace' },
    cwd: { value: 'path', about: 'Directory to use as workspace (default: the current one)' },
  },
  async run({ args, options, io, agh, show }) {
    const { workspace, cwd } = readWorkspace(options, 'task create')
    const target = workspace === undefined ? { workspace_path: resolve(io.cwd, cwd ?? '.') } : { workspace }
    const body = { title: args.title.join(' '), prompt: options.prompt, ...target }
    const answer = await agh.call('POST /api/tasks', { body })
    show(answer, () => taskLines(io, answer.task))
  },
})

const COLUMNS: Column<Task>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'TITLE', text: ({ title }) => title, min: 10 },
  { title: 'RUN', text: ({ runs }) => runs.at(-1)?.state ?? '' },
  { title: 'SESSION', text: ({ runs }) => runs.at(-1)?.session_id ?? '', drop: 2 },
  { title: 'WORKSPACE', text: ({ workspace_path }) => workspace_path ?? '', min: 10, drop: 1 },
]

export const taskListCommand = aghCommand({
  name: 'task list',
  inside: rights('no', 'yes', 'yes'),
  about: 'List the tasks and how their last runs went',
  async run({ agh, showTable }) {
    const answer = await agh.call('GET /api/tasks')
    const empty = 'There is no task yet: agh task create'
    showTable({ whole: answer, rows: answer.tasks, columns: COLUMNS, empty })
  },
})

export const taskInfoCommand = aghCommand({
  name: 'task info',
  inside: rights('no', 'yes', 'yes'),
  about: 'Show one task with its runs',
  args: { task: TASK_ARGUMENT },
  async run({ args, io, agh, show }) {
    const answer = await agh.call('GET /api/tasks/:id', { params: { id: args.task } })
    show(answer, () => taskLines(io, answer.task))
  },
})

export const taskRemoveCommand = aghCommand({
  name: 'task remove',
  about: 'Forget a task that no session is working on; its sessions stay',
  args: { task: TASK_ARGUMENT },
  async run({ args, io, agh, show }) {
    const answer = await agh.call('DELETE /api/tasks/:id', { params: { id: args.task } })
    show(answer, () => taskLines(io, answer.task))
  },
})

const POLL_EVERY_MS = 200

export const taskRunCommand = aghCommand({
  name: 'task run',
  about: 'Enqueue a run of a task; the coordinator of its workspace works on it',
  details: 'With --wait the exit code is 0 when the run was completed, else 1.',
  args: { task: TASK_ARGUMENT },
  options: { wait: { about: 'Until the run has ended' } },
  async run({ args, options, io, agh, show }) {
    const params = { id: args.task }
    let answer = await agh.call('POST /api/tasks/:id/runs', { params })
    while (options.wait && lastRun(answer.task)?.ended_at === null) {
      await sleep(POLL_EVERY_MS)
      answer = await agh.call('GET /api/tasks/:id', { params })
    }
    show(answer, () => taskLines(io, answer.task))
    return lastRun(answer.task)?.state === 'failed' ? 1 : 0
  },
})

function lastRun({ runs }: Task) {
  return runs.at(-1)
}
