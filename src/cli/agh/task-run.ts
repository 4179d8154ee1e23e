// `agh task run`: enqueue a run of a task; the coordinator of its workspace works on it.
import type { Task } from '../../contract/agh/task.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { taskLines } from './task-lines.ts'

const LOOK_EVERY_MS = 200

export const taskRunCommand = defineCommand({
  program: 'agh',
  name: 'task run',
  about: 'Enqueue a run of a task; the coordinator of its workspace works on it',
  details: 'With --wait the exit code is 0 when the run was completed, else 1.',
  args: { task: { about: 'Task id', required: true } },
  options: { wait: { about: 'Until the run has ended' }, ...OUTPUT_OPTIONS },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const agh = openAgh(io)
    const path = `/api/tasks/${encodeURIComponent(args.task)}`
    let answer = await agh.call<{ task: Task }>(`${path}/runs`, { method: 'POST' })
    while (options.wait && lastRun(answer.task)?.ended_at === null) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      answer = await agh.call<{ task: Task }>(path)
    }
    printOne(io, format, answer, () => taskLines(io, answer.task))
    return lastRun(answer.task)?.state === 'failed' ? 1 : 0
  },
})

function lastRun({ runs }: Task) {
  return runs.at(-1)
}
