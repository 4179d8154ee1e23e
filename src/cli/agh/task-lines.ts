// A task as text for people.
import type { Task } from '../../contract/agh/task.ts'
import type { Io } from '../io.ts'
import { toOneLine } from '../print/plain-text.ts'

export function taskLines(io: Io, task: Task): string[] {
  return [
    `${io.style.bold(task.id)}  ${toOneLine(task.title)}`,
    `  ${io.style.dim('workspace')}  ${task.workspace_path ?? '-'}`,
    ...task.runs.map(({ id, state, session_id, detail }) =>
      toOneLine(`  ${io.style.dim('run')}        ${[id, state, session_id, detail].filter(Boolean).join('  ')}`),
    ),
  ]
}
