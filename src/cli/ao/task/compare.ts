// `ao compare`: the sessions of one task beside each other.
import type { ComparedSession, Comparison } from '../../../contract/dashboard/tasks.ts'
import { AoError } from '../../../contract/errors.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { formatCost, plural } from '../../../core/text/format-age.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { renderDiff } from '../../print/diff.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { renderTable } from '../../print/table.ts'
import { openAo } from '../open-ao.ts'

export const compareCommand = defineCommand({
  name: 'compare',
  inside: ORCHESTRATOR,
  about: 'Compare the sessions of one task: checks, size, cost, time, and how far apart they are',
  details: 'Size counts uncommitted work.',
  args: { task: { about: 'Id of the task, or of one of its sessions', required: true, completes: 'session' } },
  options: {
    diff: { value: 'ids', about: 'Show what differs between two of its sessions' },
    json: JSON_OPTION,
  },
  examples: [{ line: 'ao compare app-3 --diff app-3,app-4', about: 'From one to the other' }],
  json: '{ id, kind, project, title, createdAt, chosen, stopped, missing, sessions: [{ index, id, projectId, agent, model, status, waits, isArchived, branch, pull, ci, review, checks: [{ name, status }], size: { files, added, removed, isCut } | null, costUsd, tokens, minutes }], pairs: [{ a, b, files, added, removed, isCut }] }, with --diff { base, head, diff, truncated }',
  tool: {
    name: 'compare_sessions',
    title: 'Compare the sessions of a task',
    description: 'The sessions of one task beside each other: checks, review, size, cost and minutes.',
    hints: READS,
    input: { task: {} },
    output: { sessions: 'list', pairs: 'list' },
  },
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    if (options.diff !== undefined) {
      const [a, b, ...rest] = options.diff.split(',').map((id) => id.trim())
      if (!a || !b || rest.length > 0) throw new AoError('USAGE', '--diff takes two sessions, separated by a comma')
      const answer = await manager.diffPair(args.task, a, b)
      if (options.json) return void io.json(answer)
      io.write(renderDiff(answer.diff, io.style))
      if (answer.truncated) io.note(`${io.noteStyle.yellow('warning:')} the diff is too large and was cut`)
      return
    }
    const comparison = await manager.compare(args.task)
    if (options.json) return void io.json(comparison)
    print(comparison, io)
  },
})

function print({ id, kind, title, chosen, stopped, missing, sessions, pairs }: Comparison, io: Io): void {
  const what = kind === 'best' ? `${sessions.length} tries of one task` : `a group of ${sessions.length}`
  io.print(`${io.style.bold(toOneLine(title))}  ${io.style.dim(`${id}, ${what}`)}`)
  if (missing > 0) io.print(io.style.yellow(`${missing} of its sessions were never reserved, or are gone`))
  io.printLines(
    renderTable<ComparedSession>(
      [
        {
          title: 'SESSION',
          text: ({ id: one }) => (one === chosen ? `${one} *` : one),
          paint: (text) => io.style.bold(text),
        },
        { title: 'AGENT', text: ({ agent, model }) => (model ? `${agent} (${model})` : agent), min: 8, drop: 3 },
        {
          title: 'STATUS',
          text: ({ status, waits, isArchived }) =>
            isArchived ? `${status}, archived` : waits === null ? status : 'waiting',
        },
        { title: 'PR', text: ({ pull }) => (pull ? `#${pull.number}` : '') },
        { title: 'CHECKS', text: checksOf },
        { title: 'REVIEW', text: ({ review }) => (review === 'none' ? '' : review), drop: 2 },
        { title: 'SIZE', text: sizeOf },
        { title: 'COST', text: ({ costUsd }) => formatCost(costUsd), align: 'right', drop: 1 },
        { title: 'MINUTES', text: ({ minutes }) => String(minutes ?? ''), align: 'right' },
      ],
      sessions,
      { width: io.width(), paintTitle: io.style.dim },
    ),
  )
  for (const { a, b, files, added, removed } of pairs) {
    const apart = files === 0 ? 'have the same content' : `differ in ${plural(files, 'file')}, +${added} −${removed}`
    io.print(`${a} and ${b} ${apart}`)
  }
  if (stopped !== null) io.print(`It does not land: ${toOneLine(stopped)}`)
  if (chosen !== null) io.print('* was chosen')
  else if (kind === 'best') io.print('\nChoose one with: ao choose <session>')
}

function checksOf({ checks, ci }: ComparedSession): string {
  if (checks.length === 0) return ci === 'none' ? '' : ci
  const failed = checks.filter(({ status }) => status === 'failed').map(({ name }) => name)
  if (failed.length > 0) return toOneLine(`failed: ${failed.join(', ')}`)
  const passed = checks.filter(({ status }) => status === 'passed' || status === 'skipped').length
  return `${passed}/${checks.length} passed`
}

function sizeOf({ size }: ComparedSession): string {
  if (size === null) return ''
  return `${size.isCut ? '> ' : ''}${plural(size.files, 'file')}, +${size.added} −${size.removed}`
}
