// `agh task list`: list the tasks and how their last runs went.
import type { Task } from '../../contract/agh/task.ts'
import { defineCommand } from '../command.ts'
import { type Column, renderTable } from '../print/table.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const taskListCommand = defineCommand({
  program: 'agh',
  name: 'task list',
  about: 'List the tasks and how their last runs went',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ tasks: Task[] }>('/api/tasks')
    if (format === 'jsonl') return void io.printLines(answer.tasks.map((task) => JSON.stringify(task)))
    if (format === 'human' && answer.tasks.length === 0) return void io.note('There is no task yet: agh task create')
    printOne(io, format, answer, () => renderTable(COLUMNS, answer.tasks, { width: io.width() }))
  },
})

const COLUMNS: Column<Task>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'TITLE', text: ({ title }) => title, min: 10 },
  { title: 'RUN', text: ({ runs }) => runs.at(-1)?.state ?? '' },
  { title: 'SESSION', text: ({ runs }) => runs.at(-1)?.session_id ?? '', drop: 2 },
  { title: 'WORKSPACE', text: ({ workspace_path }) => workspace_path ?? '', min: 10, drop: 1 },
]
